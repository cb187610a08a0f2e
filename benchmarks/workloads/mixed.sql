-- Queries over the eight TPC-H tables beyond the 22: `-- name` begins a query. Plain SQL that Redshift and DuckDB read alike.
-- star_year_nation
select extract(year from o_orderdate) as y, n_name, sum(l_extendedprice * (1 - l_discount)) as revenue
from lineitem, orders, customer, nation, region
where l_orderkey = o_orderkey and o_custkey = c_custkey and c_nationkey = n_nationkey and n_regionkey = r_regionkey
  and r_name = 'ASIA'
group by 1, 2 order by 1, 2
-- star_brand_year
select extract(year from l_shipdate) as y, p_brand, sum(l_extendedprice) as revenue
from lineitem, part, supplier, nation, region
where l_partkey = p_partkey and l_suppkey = s_suppkey and s_nationkey = n_nationkey and n_regionkey = r_regionkey
  and r_name = 'AMERICA' and p_mfgr = 'Manufacturer#1'
group by 1, 2 order by 1, 2
-- star_two_nations
select c.n_name as customer_nation, s.n_name as supplier_nation, extract(year from o_orderdate) as y,
  sum(l_extendedprice) as revenue, count(*) as n
from lineitem, orders, customer, supplier, nation c, nation s
where l_orderkey = o_orderkey and o_custkey = c_custkey and l_suppkey = s_suppkey and c_nationkey = c.n_nationkey
  and s_nationkey = s.n_nationkey and c.n_regionkey = 2 and s.n_regionkey = 2
group by 1, 2, 3 order by 3, 4 desc
-- star_four_dimensions
select extract(year from o_orderdate) as y, c_mktsegment, p_mfgr, s_nationkey,
  sum(l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity) as profit
from lineitem, orders, customer, part, supplier, partsupp
where l_orderkey = o_orderkey and o_custkey = c_custkey and l_partkey = p_partkey and l_suppkey = s_suppkey
  and ps_partkey = l_partkey and ps_suppkey = l_suppkey and p_size < 10
group by 1, 2, 3, 4 order by profit desc, 1, 2, 3, 4 limit 100
-- group_partkey
select l_partkey, sum(l_quantity) as q, count(*) as n from lineitem group by l_partkey order by q desc, l_partkey limit 10
-- group_two_keys_unique
select l_orderkey, l_linenumber, sum(l_quantity) as q from lineitem
group by l_orderkey, l_linenumber order by q desc, 1, 2 limit 10
-- group_pair_keys
select l_partkey, l_suppkey, count(*) as n, sum(l_extendedprice) as p from lineitem
group by l_partkey, l_suppkey order by p desc, 1, 2 limit 10
-- group_long_string
select l_comment, count(*) as n from lineitem group by l_comment order by n desc, l_comment limit 10
-- group_clerk
select o_clerk, count(*) as n, sum(o_totalprice) as t, max(o_orderdate) as d from orders
group by o_clerk order by t desc limit 10
-- group_customer_name
select c_name, sum(o_totalprice) as t from customer, orders where c_custkey = o_custkey
group by c_name order by t desc, c_name limit 10
-- group_four_flags
select l_shipmode, l_returnflag, l_linestatus, l_shipinstruct, count(*) as n, avg(l_discount) as d, sum(l_tax) as t
from lineitem group by 1, 2, 3, 4 order by 1, 2, 3, 4
-- group_month
select date_trunc('month', l_shipdate) as m, sum(l_extendedprice) as p, min(l_discount) as d from lineitem
group by 1 order by 1
-- group_having
select l_orderkey, sum(l_quantity) as q from lineitem group by l_orderkey having sum(l_quantity) > 250 order by 2 desc, 1 limit 100
-- group_phone_prefix
select substring(c_phone, 1, 6) as p, count(*) as n, avg(c_acctbal) as a from customer group by 1 order by 2 desc, 1 limit 20
-- rollup_three
select l_returnflag, l_linestatus, l_shipmode, sum(l_extendedprice) as p, count(*) as n from lineitem
group by rollup (l_returnflag, l_linestatus, l_shipmode) order by 1 nulls last, 2 nulls last, 3 nulls last
-- cube_two
select o_orderpriority, o_orderstatus, count(*) as n, sum(o_totalprice) as t from orders
group by cube (o_orderpriority, o_orderstatus) order by 1 nulls last, 2 nulls last
-- distinct_few_groups
select l_returnflag, count(distinct l_partkey) as p from lineitem group by 1 order by 1
-- distinct_few_groups_three
select l_shipmode, count(distinct l_partkey) as p, count(distinct l_suppkey) as s, count(distinct l_orderkey) as o
from lineitem group by 1 order by 1
-- distinct_many_groups
select l_partkey, count(distinct l_suppkey) as s, count(distinct l_shipmode) as m from lineitem
group by 1 order by 2 desc, 3 desc, 1 limit 10
-- distinct_global_three
select count(distinct l_orderkey) as o, count(distinct l_partkey) as p, count(distinct l_suppkey) as s from lineitem
-- distinct_string
select count(distinct l_comment) as n from lineitem
-- distinct_string_few_groups
select o_orderpriority, count(distinct o_comment) as n, count(distinct o_clerk) as c from orders group by 1 order by 1
-- distinct_rows
select count(*) as n from (select distinct l_partkey, l_suppkey, l_shipmode from lineitem) t
-- distinct_sum
select o_orderpriority, sum(distinct o_custkey) as s, avg(o_totalprice) as a from orders group by 1 order by 1
-- top_wide
select l_orderkey, l_linenumber, l_extendedprice, l_comment, l_shipdate from lineitem
order by l_extendedprice desc, l_orderkey, l_linenumber limit 100
-- top_string
select l_comment, l_orderkey from lineitem order by l_comment, l_orderkey, l_linenumber limit 100
-- top_offset
select o_orderkey, o_totalprice from orders order by o_totalprice, o_orderkey limit 10 offset 1000000
-- top_per_group
select * from (
  select l_suppkey, l_orderkey, l_linenumber, l_extendedprice,
    row_number() over (partition by l_suppkey order by l_extendedprice desc, l_orderkey, l_linenumber) as r
  from lineitem) t
where r <= 3 order by l_suppkey, r limit 100
-- window_running_short
select max(s) as m, min(s) as l from (
  select sum(l_quantity) over (partition by l_orderkey order by l_linenumber rows unbounded preceding) as s from lineitem) t
-- window_running_customer
select max(s) as m, count(s) as n from (
  select sum(o_totalprice) over (partition by o_custkey order by o_orderdate, o_orderkey
    rows between unbounded preceding and current row) as s from orders) t
-- window_row_number_short
select sum(r) as s, max(r) as m from (
  select row_number() over (partition by l_orderkey order by l_extendedprice, l_linenumber) as r from lineitem) t
-- window_rank_few
select l_shipmode, max(r) as r, sum(case when r < 1000 then l_quantity else 0 end) as q from (
  select l_shipmode, l_quantity, rank() over (partition by l_shipmode order by l_extendedprice desc) as r from lineitem) t
group by 1 order by 1
-- window_lag
select count(*) as n from (
  select o_totalprice, lag(o_totalprice) over (partition by o_custkey order by o_orderdate, o_orderkey) as before from orders) t
where o_totalprice > before
-- window_frame
select max(a) as a, min(a) as b from (
  select sum(o_totalprice) over (order by o_orderkey rows between 6 preceding and current row) as a from orders) t
-- window_partition_total
select count(*) as n from (
  select l_extendedprice, sum(l_extendedprice) over (partition by l_partkey) as s from lineitem) t
where l_extendedprice * 10 > s
-- like_prefix
select count(*) as n from part where p_name like 'forest%'
-- like_suffix
select count(*) as n from lineitem where l_comment like '%deposits'
-- like_two_parts
select count(*) as n from lineitem where l_comment like '%special%requests%'
-- like_underscore
select count(*) as n from lineitem where l_comment like '%spec_al%'
-- like_or
select count(*) as n from lineitem where l_comment like '%express%' or l_comment like '%ironic%' or l_comment like '%bold_pack%'
-- like_not_grouped
select o_orderpriority, count(*) as n from orders where o_comment not like '%furiously%' group by 1 order by 1
-- string_length_sum
select sum(length(l_comment)) as s, max(length(l_comment)) as m from lineitem
-- string_upper_group
select upper(substring(o_comment, 1, 4)) as p, count(*) as n from orders group by 1 order by 2 desc, 1 limit 10
-- string_position
select count(*) as n, sum(position('the' in l_comment)) as s from lineitem where position('the' in l_comment) > 5
-- string_replace
select max(length(replace(o_comment, 'the', 'those'))) as m, sum(length(replace(o_comment, 'e', ''))) as s from orders
-- string_concat_group
select l_shipmode || '/' || l_returnflag as k, count(*) as n from lineitem group by 1 order by 1
-- string_concat_rows
select count(*) as n, max(length(c_name || ':' || c_address || ':' || c_phone)) as m from customer
where c_name || c_phone like '%9%1%7%'
-- date_parts
select extract(dow from l_shipdate) as d, extract(month from l_receiptdate) as m, count(*) as n from lineitem
group by 1, 2 order by 1, 2
-- date_difference
select datediff('day', l_shipdate, l_receiptdate) as d, count(*) as n, sum(l_quantity) as q from lineitem
group by 1 order by 1
-- date_filter_expression
select count(*) as n from lineitem, orders where l_orderkey = o_orderkey and l_shipdate > o_orderdate + 100
-- case_heavy
select l_shipmode,
  sum(case when l_returnflag = 'R' then l_extendedprice else 0 end) as a,
  sum(case when l_returnflag = 'A' then l_extendedprice else 0 end) as b,
  sum(case when l_discount > 0.05 then l_quantity else 0 end) as c,
  sum(case when l_discount > 0.05 and l_tax < 0.04 then l_quantity else 0 end) as d,
  count(case when l_shipdate > l_commitdate then 1 end) as e,
  count(case when l_receiptdate > l_commitdate then 1 end) as f,
  sum(case when l_shipinstruct = 'NONE' then 1 when l_shipinstruct = 'COLLECT COD' then 2 else 3 end) as g,
  max(case when l_linestatus = 'O' then l_extendedprice end) as h
from lineitem group by 1 order by 1
-- case_months
select extract(year from l_shipdate) as y,
  sum(case when extract(month from l_shipdate) = 1 then l_extendedprice else 0 end) as jan,
  sum(case when extract(month from l_shipdate) = 2 then l_extendedprice else 0 end) as feb,
  sum(case when extract(month from l_shipdate) = 3 then l_extendedprice else 0 end) as mar,
  sum(case when extract(month from l_shipdate) = 4 then l_extendedprice else 0 end) as apr,
  sum(case when extract(month from l_shipdate) = 5 then l_extendedprice else 0 end) as may,
  sum(case when extract(month from l_shipdate) = 6 then l_extendedprice else 0 end) as jun
from lineitem group by 1 order by 1
-- semi_exists
select count(*) as n from orders where exists (select 1 from lineitem where l_orderkey = o_orderkey and l_quantity > 49)
-- anti_exists
select count(*) as n from part where not exists (select 1 from lineitem where l_partkey = p_partkey and l_quantity > 48)
-- in_subquery
select count(*) as n from lineitem where l_partkey in (select p_partkey from part where p_size = 10)
-- not_in_subquery
select count(*) as n from customer where c_custkey not in (select o_custkey from orders)
-- exists_two_conditions
select count(*) as n from orders o where exists (
  select 1 from lineitem l where l.l_orderkey = o.o_orderkey and l.l_receiptdate > o.o_orderdate + 120)
-- union_all_group
select k, sum(v) as v, count(*) as n from (
  select l_suppkey as k, l_extendedprice as v from lineitem
  union all select ps_suppkey, ps_supplycost from partsupp) t
group by 1 order by 2 desc, 1 limit 10
-- union_distinct
select count(*) as n from (select l_partkey, l_suppkey from lineitem union select ps_partkey, ps_suppkey from partsupp) t
-- intersect_keys
select count(*) as n from (select o_custkey from orders intersect select c_custkey from customer where c_acctbal > 0) t
-- except_keys
select count(*) as n from (select c_custkey, c_nationkey from customer except select o_custkey, c_nationkey from orders, customer
  where o_custkey = c_custkey) t
-- self_join_lines
select count(*) as n, sum(a.l_quantity + b.l_quantity) as q from lineitem a, lineitem b
where a.l_orderkey = b.l_orderkey and a.l_linenumber = b.l_linenumber and a.l_discount > 0.02
-- self_join_pairs
select count(*) as n from partsupp a, partsupp b where a.ps_partkey = b.ps_partkey and a.ps_suppkey < b.ps_suppkey
-- self_join_customers
select count(*) as n, sum(a.o_totalprice) as t from orders a, orders b
where a.o_custkey = b.o_custkey and a.o_orderdate < b.o_orderdate
-- correlated_average
select count(*) as n, sum(l_extendedprice) as p from lineitem l
where l_quantity < (select 0.5 * avg(l_quantity) from lineitem i where i.l_partkey = l.l_partkey)
-- correlated_maximum
select count(*) as n, sum(o_totalprice) as t from orders o
where o_totalprice = (select max(o_totalprice) from orders i where i.o_custkey = o.o_custkey)
-- correlated_count
select n, count(*) as customers from (
  select c_custkey, (select count(*) from orders where o_custkey = c_custkey) as n from customer) t
group by 1 order by 1
-- left_join_group
select c_mktsegment, count(o_orderkey) as o, count(*) as n, sum(o_totalprice) as t from customer left join orders
  on c_custkey = o_custkey and o_orderdate >= date '1997-01-01'
group by 1 order by 1
-- full_join
select count(*) as n, count(a.l_orderkey) as a, count(b.o_orderkey) as b from
  (select distinct l_orderkey from lineitem where l_shipdate < date '1994-01-01') a
  full join (select o_orderkey from orders where o_orderdate < date '1993-06-01') b on a.l_orderkey = b.o_orderkey
-- join_many_to_many
select n_name, count(*) as n, sum(c_acctbal - s_acctbal) as d from customer, supplier, nation
where c_nationkey = s_nationkey and s_nationkey = n_nationkey and s_acctbal > 9000
group by 1 order by 1
-- join_string_key
select count(*) as n from customer a, supplier b where substring(a.c_phone, 4, 7) = substring(b.s_phone, 4, 7)
-- join_range
select a.y, count(*) as n, sum(l_extendedprice) as p from lineitem,
  (select 1992 + n_nationkey as y, date '1992-01-01' + 365 * n_nationkey as first, date '1992-12-31' + 365 * n_nationkey as last
   from nation where n_nationkey < 7) a
where l_shipdate between a.first and a.last group by 1 order by 1
-- median_groups
select l_returnflag, l_linestatus, median(l_extendedprice) as m from lineitem group by 1, 2 order by 1, 2
-- deviation_groups
select l_shipmode, stddev_samp(l_extendedprice) as s, var_pop(l_quantity) as v from lineitem group by 1 order by 1
-- filter_disjunction
select count(*) as n, sum(l_extendedprice) as p from lineitem
where (l_quantity < 5 and l_discount > 0.08) or (l_shipmode = 'AIR' and l_tax = 0) or l_extendedprice > 100000
-- filter_in_list
select count(*) as n from lineitem where l_suppkey in (1, 55, 777, 1234, 2345, 3456, 4567, 5678, 6789, 9999)
  and l_shipmode in ('AIR', 'RAIL', 'TRUCK')
-- arithmetic_wide
select sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) as a, avg(l_quantity * l_extendedprice) as b,
  sum((l_quantity + 1) * (l_quantity - 1)) as c, min(l_extendedprice / l_quantity) as d from lineitem
-- with_twice
with t as (select l_suppkey as k, sum(l_extendedprice) as v from lineitem group by 1)
select count(*) as n, sum(a.v) as s from t a, t b where a.k = b.k + 1 and a.v > b.v
-- with_share
with t as (select o_custkey, sum(o_totalprice) as v from orders group by 1)
select c_nationkey, count(*) as n from t, customer where o_custkey = c_custkey and v > (select avg(v) * 2 from t)
group by 1 order by 1
-- window_ntile
select bucket, count(*), min(o_totalprice), max(o_totalprice) from (select o_totalprice, ntile(10) over (order by
o_totalprice) as bucket from orders) t group by bucket order by bucket
-- window_dense_rank
select r, count(*) from (select dense_rank() over (partition by l_suppkey order by l_shipdate) as r from lineitem) t group by
r order by r limit 20
-- window_first_last
select count(*) from (select first_value(l_partkey) over (partition by l_orderkey order by l_linenumber rows between
unbounded preceding and unbounded following) as f, last_value(l_partkey) over (partition by l_orderkey order by l_linenumber
rows between unbounded preceding and unbounded following) as l from lineitem) t where f < l
-- window_cume_dist
select count(*) from (select cume_dist() over (partition by o_orderpriority order by o_totalprice) as c from orders) t where
c > 0.9
-- window_five
select max(a), max(b), max(c), max(d), max(e) from (select row_number() over (partition by o_custkey order by o_orderdate) as
a, rank() over (partition by o_orderpriority order by o_totalprice) as b, sum(o_totalprice) over (partition by o_custkey) as
c, lag(o_orderdate) over (partition by o_custkey order by o_orderdate) as d, ntile(4) over (order by o_totalprice) as e from
orders) t
-- group_two_strings_joined
select l_shipmode, o_clerk, count(*) from lineitem join orders on l_orderkey = o_orderkey group by 1, 2 order by 3 desc, 1, 2
limit 10
-- group_case_labels
select case when l_quantity < 10 then 'low' when l_quantity < 30 then 'middle' else 'high' end as c, l_shipmode, sum(l_extendedprice)
from lineitem group by 1, 2 order by 1, 2
-- group_many_aggregates
select l_suppkey, sum(l_quantity), avg(l_quantity), min(l_quantity), max(l_quantity), sum(l_extendedprice),
avg(l_extendedprice), min(l_shipdate), max(l_shipdate), count(distinct l_shipmode), stddev_samp(l_discount) from lineitem
group by 1 order by 1 limit 10
-- median_many
select max(m) from (select l_orderkey, median(l_quantity) as m from lineitem group by 1) t
-- string_compare_columns
select count(*) from lineitem where l_comment < l_shipinstruct
-- string_translate
select sum(length(translate(o_comment, 'aeiou', '12345'))) from orders
-- string_reverse
select max(reverse(o_comment)) from orders
-- string_md5
select min(md5(o_comment)) from orders
-- string_case
select max(upper(o_comment)), min(lower(o_comment)) from orders
-- like_column
select count(*) from orders where o_comment like '%' || substring(o_clerk, 14, 2) || '%'
-- round_decimal
select sum(round(l_extendedprice * l_discount, 1)) from lineitem
-- ceiling_decimal
select sum(ceil(l_extendedprice)) from lineitem
-- cast_decimal_integer
select sum(cast(l_extendedprice as int)) from lineitem
-- least_decimals
select sum(least(l_discount, l_tax)) from lineitem
-- divide_decimals
select sum(l_extendedprice / l_quantity) from lineitem
-- math_double
select sum(sqrt(cast(l_extendedprice as double precision))), sum(ln(cast(l_quantity as double precision))),
avg(power(cast(l_discount as double precision), 2)) from lineitem
-- exists_not_equal
select count(*) from lineitem a where exists (select 1 from lineitem b where b.l_orderkey = a.l_orderkey and b.l_suppkey <>
a.l_suppkey)
-- exists_less
select count(*) from orders a where exists (select 1 from orders b where b.o_custkey = a.o_custkey and b.o_orderdate <
a.o_orderdate)
-- exists_greater_expression
select count(*) from lineitem a where exists (select 1 from lineitem b where b.l_partkey = a.l_partkey and b.l_shipdate - 30
> a.l_shipdate and b.l_quantity > 25)
-- exists_small_side
select count(*) from supplier where s_nationkey = 3 and exists (select 1 from lineitem where l_suppkey = s_suppkey and
l_extendedprice > s_acctbal * 10)
-- window_shares
select cls, count(*), sum(s)
from (select k, s, case when cum <= 0.8 * tot then 'A' when cum <= 0.95 * tot then 'B' else 'C' end as cls
from (select k, s, sum(s) over (order by s desc, k rows unbounded preceding) as cum, sum(s) over () as tot
from (select l_partkey as k, sum(l_extendedprice) as s from lineitem group by 1) a) b) c group by 1 order by 1
-- group_funnel
select count(*), sum(b), sum(c) from (
    select l_orderkey, max(case when l_shipmode = 'AIR' then 1 else 0 end) as a,
        max(case when l_shipmode = 'RAIL' then 1 else 0 end) as b, max(case when l_shipmode = 'SHIP' then 1 else 0 end) as c
    from lineitem group by 1) t
where a = 1
-- self_join_baskets
select a.l_suppkey, b.l_suppkey, count(*) as n from lineitem a join lineitem b on a.l_orderkey = b.l_orderkey and a.l_suppkey
< b.l_suppkey where a.l_orderkey < 600000 group by 1, 2 order by 3 desc, 1, 2 limit 10
-- in_filtered_parts
select count(*) from lineitem where l_partkey in (select p_partkey from part
where p_brand in ('Brand#11', 'Brand#23', 'Brand#34', 'Brand#45') and p_type like 'PROMO%')
-- sort_all_rows
select o_orderkey, o_custkey, o_totalprice from orders order by o_custkey, o_totalprice desc
