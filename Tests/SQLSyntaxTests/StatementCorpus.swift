/// Statements of every kind, for parsing and for the way through the printer and back.
enum StatementCorpus {
    /// Queries and expressions.
    static let queries = #"""
        select top 10 a, b as c, d e, t.*, s.t.* from s.t as x, (select 1) y(z) where a = 1 and
            b <> 2 or not c is null;
        select * exclude (a, b) from t;
        select distinct a from t group by all having count(*) > 1 qualify row_number() over (partition
            by a order by b desc nulls first) = 1 order by 1 asc nulls last limit all offset 5;
        select a, grouping(a) from t group by grouping sets ((a, b), (a), ()), rollup(a, (b, c)), cube(a, b);
        select sum(x) over w, first_value(a ignore nulls) over (w rows between 1 preceding and
            unbounded following), lag(a, 1) respect nulls over (order by b) from t window w as (partition
            by a order by b range unbounded preceding);
        select listagg(distinct a, ',') within group (order by b desc) over (partition by c) from t;
        select percentile_cont(0.5) within group (order by x), approximate count(distinct y), count(*)
            filter (where a > 1) from t;
        select collate(a, 'case_insensitive'), cast(b as interval hour to second(3)) from t order by collate(c, 'cs');
        select 1 union all select 2 union select 3 intersect select 4 except (select 5 minus select 6) order by 1;
        (select 1) union (select 2 order by 1 limit 1);
        ((select 1));
        select ((select 1)) + (select 2), ((select 1) union (select 2));
        select * from ((select 1) union select 2) a;
        select * from ((select 1) a join (select 2) b on true);
        select * from (a join b on a.x = b.x) left join c using (y, z) right outer join d on true
            full join e on a.i = e.i cross join f natural join g;
        select * from a join b join c on b.x = c.x on a.x = b.x;
        select cast(a as varchar(10)), try_cast(b as int), convert(decimal(10,2), c), d::timestamp
            with time zone, e::timestamp(3) without time zone, f::double precision::varchar(max);
        select date '2020-01-01', timestamp '2020-01-01 00:00:00', timestamp with time zone '2020-01-01',
            time '10:00', float8 'NaN', interval '1 day', interval '1-2' year to month, interval '3'
            day to second(3), interval '5' hour;
        select extract(year from d), extract('month' from d), substring(a from 2 for 3), substring(a
            for 3), substring(a, 1, 2), position('x' in a), trim(both 'x' from a), trim(leading from
            a), trim(a), overlay(a placing 'x' from 1 for 2), left(a, 3), right(a, 2);
        select a like 'x%' escape '\\', a not ilike 'y', a similar to 'z', a not between 1 and
            2, a between symmetric 1 and 2, a in (1, 2, 3), a not in (select 1), exists (select 1),
            a = any (select 1), a <> all (array[1,2]), a like any (array['x']);
        select a is not true, a is unknown, a is distinct from b, a is not distinct from b + 1, a isnull, a notnull;
        select -1, - a, -(-5), - (5), -9223372036854775808, 9223372036854775808, 1.5e10, .5, 1.,
            'it''s', E'a\n\'b', $$x'y$$, $1 + $2;
        select 'a\\b', 'it\'s', 'a\tb', N'\\', date 'a\\b', interval '1\x day', time(3) '\\', a like '\\%' escape '\\';
        select a ^ b ^ c, (a + b) * c, a - (b - c), a - b - c, a || b || c, @ -5, |/ 25.0, ||/
            27, ~ a, a # b, a << 1 | b & 3, a ~ 'x', a !~ 'y', a ~* 'z', a !~* 'w', a % b;
        select (a, b) = (1, 2), row(1, 2) < row(3, 4), (a, b) in (select 1, 2), (a,b) overlaps (c,d);
        select current_date, current_timestamp, sysdate, user, current_user, getdate(), localtime;
        select a at time zone 'UTC', a[0].b.c[1], t.a[0], f(x).y, f(a => 1, b := 2), (x).y;
        select case a when 1 then 'x' else 'y' end, case when a then b end as "Case";
        select "Select", "a""b", "weird name", "group", "year", year, month from "T x" where "From" = 1;
        select a.x from a, b where a.x = b.x(+) and a.y(+) = 3;
        select * into temp #x from t;
        select name, level from emp start with id = 1 connect by prior id = parent_id and level < 3 order by 1;
        select * from (select a, b from t) pivot (sum(a) as s, count(*) for b in (1 as one, 'x' two)) as p;
        select * from t unpivot include nulls (v for n in (a as 'x', b)) as u;
        select * from t, t.items as i at idx, unpivot t.obj as v at k, t.items[0].x as z;
        select object_transform(o keep '"a"', '"b"."c"' set '"d"', 1), object_transform(o set '"d"', null) from t;
        with recursive x(a) as (select 1 union all select a + 1 from x where a < 10), y as (select
            2) select * from x, y;
        select a from t for update;
        select a from t fetch first 5 rows only;
        values (1, 'a'), (2, 'b');
        table foo;
        select 1 where a not like 'x' and not (b or c) and (d and e);
        select (a is null) is true, (a = b) is null, a = (b is null), (not a) = b, (a or b)::int, not not a;
        select count(*), count(all x) from generate_series(1, 10) as g(i), f(1) as h(a int, b varchar);
        with x as (select 1) update t as u set a = x.a + 1 from x, y join z on true where u.b = x.b;
        select x.oid, c.table, relname::text from pg_class x where relkind = 'r'::"char" and oid in (1);
        select /* c /* nested */ */ 1 -- end
        ;
        select count(1) as count, sum(b) "sum", t.user, t."select" from t;
        select * from t where ts > getdate() - interval '1 hour' and d = dateadd(day, -7, current_date)
            and datediff(qtr, a, b) > 3;
        SELECT DATE_TRUNC('month', x) AS month, TO_CHAR(x, 'YYYY') year FROM t GROUP BY 1, month;
        select a.b.c.d from x.y.z;
        select 1 as all, 2 as "from";
        """#

    /// Everything else.
    static let commands = #"""
        insert into t default values;
        insert into s.t (a, b) values (1, default), (2, 'x');
        insert into t (select * from u);
        insert into t with x as (select 1) select * from x;
        insert into t (a) (select 1) union all select 2;
        update t set a = 1, b = default where c = 3;
        delete from t;
        delete t where a = 1;
        with x as (select 1) delete from t using x where t.a = x.a;
        merge into t using s as x on t.id = x.id when matched then update set a = x.a when not
            matched then insert (id, a) values (x.id, default);
        merge into t using (select 1 id) s on t.id = s.id when matched then delete when not matched
            then insert values (s.id);
        merge into t using s on t.id = s.id remove duplicates;
        truncate table t;
        copy t from 's3://b/k' iam_role default;
        copy s.t (a, b) from 's3://b/k' credentials 'x' csv quote as '"' delimiter ',' ignoreheader
            1 gzip compupdate off statupdate on maxerror as 10 dateformat 'auto' null as '\N' format
            as parquet region 'us' json 'auto' acceptinvchars as '?' timeformat 'epochsecs' truncatecolumns
            blanksasnull encoding utf16;
        copy t from 's3://x' access_key_id 'a' secret_access_key 'b' format csv manifest;
        copy t from stdin;
        unload ('select * from t where a = ''x''') to 's3://b/p' iam_role 'arn' format as parquet
            partition by (a, b) include parallel off maxfilesize 5 gb manifest verbose allowoverwrite
            header;
        create table t (a int not null encode az64 distkey sortkey, b varchar(10) default 'x' collate
            case_insensitive, c decimal(10,2) identity(1,1), d bigint generated by default as identity(0,
            1), e double precision unique references r(x), primary key (a), constraint u unique (a,
            b), foreign key (a) references s.r (b)) backup no diststyle key distkey(a) compound sortkey(a,
            b);
        create temp table if not exists t (like s.u including defaults);
        create local temporary table "#Tableau_1" (col integer) on commit preserve rows;
        create table #t (a int) diststyle all interleaved sortkey (a) encode auto;
        create table t sortkey auto as select 1;
        create temp table t (a, b) distkey(1) sortkey(2, 1) as (select 1, 2);
        create table t diststyle even as with x as (select 1) select * from x;
        alter table t add column a int default 1 encode zstd not null;
        alter table t add b varchar(10);
        alter table t drop column a cascade;
        alter table t rename to u;
        alter table t rename column a to b;
        alter table t owner to me;
        alter table t alter column a type varchar(100);
        alter table t alter column a encode zstd, alter column b encode lzo;
        alter table t alter distkey a, alter sortkey (a, b);
        alter table t alter diststyle key distkey a;
        alter table t alter diststyle all, alter compound sortkey (a);
        alter table t alter sortkey none;
        alter table t alter sortkey auto;
        alter table t alter encode auto;
        alter table t add constraint c primary key (a);
        alter table t drop constraint c restrict;
        alter table t append from u fillTarget;
        alter table t row level security on;
        alter table t alter column a set default 5; alter table t alter column b drop default;
        drop table if exists a, b.c cascade;
        drop view v;
        drop materialized view if exists mv;
        drop schema if exists s cascade;
        drop user if exists u, w;
        drop function f(int, varchar);
        drop procedure p(a int, out b varchar);
        drop role r force;
        drop database d;
        drop model if exists m;
        drop rls policy p cascade;
        create or replace view v (a, b) as select 1, 2 with no schema binding;
        create view v as with x as (select 1) select * from x;
        create materialized view mv backup no diststyle all sortkey (a) auto refresh yes as select 1 a;
        refresh materialized view mv;
        alter materialized view mv auto refresh no;
        alter materialized view mv alter distkey a;
        refresh materialized view mv cascade;
        create schema if not exists s authorization u quota 10 gb;
        create schema authorization u;
        create schema s create table t (a int) create view v as select a from t grant select on t to u;
        alter schema s rename to t;
        alter schema s quota unlimited;
        create database d with owner u connection limit 10 collate case_insensitive isolation level snapshot;
        create database d with owner = u connection limit unlimited collate cs isolation level serializable;
        create database d from datashare s of account '123' namespace 'n';
        alter database d rename to e;
        alter database d owner to u;
        alter database d collate ci;
        drop database if exists d;
        use d;
        show use;
        reset use;
        create user u with password 'Abc12345' createdb nocreateuser in group a, b valid until
            '2020-01-01' connection limit 5 syslog access unrestricted session timeout 100;
        alter user u set search_path to a, b;
        alter user u rename to w;
        alter user u password disable;
        create group g with user a, b;
        alter group g add user a, b;
        create role r;
        grant select, insert on table t to u, group g, role r, public with grant option;
        grant all privileges on all tables in schema s to u;
        grant select (a, b), update (c) on t to u;
        grant usage on schema s to public;
        grant execute on function f(int) to u;
        grant role a to b, role c with admin option;
        grant create user, access system table to role r;
        grant select for tables in schema s to role r;
        revoke grant option for select on t from u cascade;
        revoke all on database d from group g;
        alter default privileges for user u in schema s grant select on tables to group g;
        comment on table t is 'x';
        comment on column t.a is null;
        analyze;
        analyze verbose t (a, b);
        analyze t predicate columns;
        analyze compression t comprows 1000;
        vacuum;
        vacuum full t to 99 percent boost;
        vacuum delete only t;
        vacuum reindex s.t;
        explain select 1;
        explain verbose select 1;
        explain analyze verbose select 1;
        explain (format json, costs off, analyze) select 1;
        set search_path to a, "$user", public;
        set local statement_timeout = 1000;
        set session x.y to 'v';
        set time zone 'UTC';
        set time zone interval '-8' hour;
        set timezone = default;
        set datestyle to iso, mdy;
        set extra_float_digits = -1;
        set session authorization default;
        set session characteristics as transaction isolation level read committed;
        set transaction isolation level serializable;
        set names 'utf8';
        set seed to 0.5;
        set application_name = 'x';
        set enable_case_sensitive_identifier to true;
        reset all;
        reset search_path;
        show all;
        show search_path;
        show transaction isolation level;
        show time zone;
        show tables from schema d.s like 'x%' limit 10;
        show columns from table "d"."s"."t" like 'a';
        show databases;
        show schemas from database d;
        show table s.t;
        show view v;
        show constraints primary keys from table d.s.t;
        show constraints foreign keys exported from table d.s.t;
        show column grants on table d.s.t;
        show grants on table d.s.t;
        show grants for u;
        show parameters of procedure d.s.p(int, varchar) like 'x';
        show procedure p(int);
        begin;
        begin transaction isolation level serializable read only;
        start transaction read write;
        begin read write, isolation level read committed;
        commit work;
        end;
        rollback;
        abort transaction;
        lock table a, b in access exclusive mode;
        create snapshot s; drop snapshot if exists s; drop snapshot s; restore snapshot s;
        restore table a.t from snapshot s; restore table t from snapshot s as b.u;
        resize cluster to 2 nodes; resize cluster to 1 node 8 slices;
        prepare p (int, varchar(10)) as select $1, $2;
        execute p (1, 'x');
        execute p;
        deallocate prepare p;
        deallocate all;
        declare c cursor with hold for select * from t;
        declare c binary insensitive no scroll cursor for select 1;
        fetch 100 from c;
        fetch forward all from c;
        fetch next from c;
        fetch all in c;
        close c;
        call p(1, 'x');
        call s.p();
        create or replace procedure p(a int, b in varchar(10), inout c decimal(10,2), out d int)
            nonatomic as $$ begin null; end; $$ language plpgsql security definer set x to 'y';
        create procedure p() as 'begin null; end' language plpgsql;
        alter procedure s.p(int, varchar(10)) rename to q;
        alter procedure p owner to "Bob";
        drop procedure if exists p(int), q();
        comment on procedure p(int) is 'x';
        grant execute on procedure p(int) to u;
        create function f(int, double precision) returns float stable as $$ select $1 + $2 $$ language sql;
        create external schema if not exists s from data catalog database 'd' region 'r' iam_role
            'arn' create external database if not exists;
        create external table s.t (a int, b struct<x:int,y:array<varchar(10)>>) partitioned by
            (d date) row format delimited fields terminated by ',' stored as parquet location 's3://x/';
        create external table s.t stored as parquet location 's3://x' as select 1 a;
        use d;
        cancel 123 'bye';
        create datashare x set publicaccessible true;
        attach rls policy p on t to u;
        copy job list;
        copy job show j;
        copy job run "J 2";
        copy job alter j auto off;
        copy job drop j;
        copy job from 's3://b/k';
        copy s.t (a) from 's3://b/k' iam_role default format parquet job create j auto off;
        copy t from 's3://b/k' iam_role default job create "select" csv;
        create model m from t target c function f iam_role default settings (s3_bucket 'b');
        alter system set data_catalog_auto_mount = on;
        """#
}
