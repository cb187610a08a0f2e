-- One query for each kernel of the engine, over TPC-H tables, with as little else as SQL allows: `-- name` begins one.
-- scan_range_integers
select count(*) from lineitem where l_partkey between 1000 and 60000 and l_suppkey > 500
-- scan_range_dates
select count(*) from lineitem where l_receiptdate < '1994-06-01'
-- scan_dictionary
select count(*) from lineitem where l_shipmode in ('AIR', 'RAIL') and l_shipinstruct <> 'NONE'
-- scan_two_columns
select count(*) from lineitem where l_commitdate < l_receiptdate
-- sum_integers
select sum(l_quantity), sum(l_partkey) from lineitem
-- sum_decimal_product
select sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) from lineitem
-- minimum_maximum_filtered
select min(l_extendedprice), max(l_extendedprice) from lineitem where l_quantity < 30
-- group_few
select l_returnflag, l_linestatus, count(*), sum(l_quantity), avg(l_extendedprice) from lineitem group by 1, 2
-- group_dense_cached
select l_suppkey, sum(l_quantity) from lineitem group by 1 having sum(l_quantity) > 20000
-- group_dense_partitioned
select l_orderkey, sum(l_quantity) from lineitem group by 1 having sum(l_quantity) > 310
-- group_packed_hash
select l_partkey, l_suppkey, count(*) from lineitem group by 1, 2 having count(*) > 30
-- group_text
select o_clerk, count(*) from orders group by 1 having count(*) > 1700
-- group_wide_text
select c_name, c_address, sum(c_acctbal) from customer group by 1, 2 having sum(c_acctbal) > 9999
-- count_distinct
select l_returnflag, count(distinct l_suppkey) from lineitem group by 1
-- count_distinct_many
select count(distinct l_partkey * 8 + l_linenumber) from lineitem
-- join_direct
select count(*), sum(o_totalprice) from lineitem, orders where l_orderkey = o_orderkey and o_orderpriority = '1-URGENT'
-- join_hash
select count(*) from lineitem, partsupp where l_partkey = ps_partkey and l_suppkey = ps_suppkey and ps_availqty < 3000
-- join_carrying_text
select max(c_name), max(c_comment) from orders, customer where o_custkey = c_custkey and o_totalprice > 100000
-- semi_join
select count(*) from orders where exists (select 1 from lineitem where l_orderkey = o_orderkey and l_quantity > 49)
-- anti_join
select count(*) from customer where c_custkey not in (select o_custkey from orders)
-- outer_join
select count(o_orderkey) from customer left join orders on c_custkey = o_custkey and o_totalprice > 200000
-- top_rows
select l_orderkey, l_extendedprice from lineitem order by l_extendedprice desc, l_orderkey limit 100
-- sort_many
select sum(n) from (select row_number() over (order by l_extendedprice, l_orderkey, l_linenumber) as n from lineitem)
-- sort_text
select max(n) from (select row_number() over (order by c_comment) as n from customer)
-- window_partitioned
select max(s) from (select sum(l_quantity) over (partition by l_suppkey order by l_shipdate, l_orderkey, l_linenumber rows unbounded preceding) as s
  from lineitem)
-- like_substring
select count(*) from orders where o_comment like '%special%requests%'
-- text_functions
select count(*), max(length(upper(substring(l_comment, 3, 12)))) from lineitem where l_comment <> ''
-- case_expression
select sum(case when l_shipmode = 'MAIL' then l_quantity when l_tax > 0.05 then 1 else 0 end) from lineitem
-- date_parts
select extract(year from l_shipdate) as y, extract(month from l_shipdate) as m, count(*) from lineitem group by 1, 2
-- set_operation
select count(*) from (select l_suppkey from lineitem intersect select ps_suppkey from partsupp)
-- result_rows
select o_orderkey, o_custkey, o_orderdate, o_totalprice, o_clerk from orders where o_orderkey < 400000
-- regular_expression
select count(*) from orders where regexp_count(o_comment, '[a-z]+ly ') > 2
-- regular_expression_groups
select max(regexp_replace(o_clerk || '/' || o_comment, '^Clerk#([0-9]+)/.*$', '$1')) from orders
-- decimal_rounding
select sum(round(l_extendedprice * l_discount, 1)), sum(ceil(l_tax)), sum(l_extendedprice::integer) from lineitem
-- decimal_quotient
select sum(l_extendedprice / l_quantity) from lineitem
-- greatest
select sum(greatest(l_quantity, l_tax * 100)) from lineitem
-- timestamp_parts
select extract(hour from t) as h, extract(dow from t) as d, count(*)
from (select dateadd(second, mod(o_orderkey, 86400)::int, o_orderdate::timestamp) as t from orders) group by 1, 2
-- case_labels
select case when l_quantity < l_tax * 300 then 'low' when l_quantity < 30 then 'middle' else 'high' end as label, count(*) from lineitem
group by 1
-- text_digest
select max(md5(o_comment)) from orders
-- text_bytes
select max(reverse(o_comment)), max(translate(o_comment, 'aeiou', '12345')) from orders
-- like_column
select count(*) from orders where o_comment like '%' || substring(o_clerk, 14, 2) || '%'
-- listagg
select max(length(l)) from (select l_orderkey, listagg(l_shipmode, ',') within group (order by l_linenumber) as l from lineitem group by 1)
-- percentiles
select max(m) from (select l_orderkey, median(l_quantity) as m from lineitem group by 1)
-- exists_inequality
select count(*) from lineitem a
where exists (select 1 from lineitem b where b.l_orderkey = a.l_orderkey and b.l_suppkey <> a.l_suppkey)
