/// What becomes of a statement of Redshift's index here. `docs/compatibility.md` is made from ``all``, and a test runs
/// every example, so that neither says what is not so.
package struct StatementCompatibility: Sendable {
    package enum State: String, Sendable {
        case runs
        /// It is read and refused with 0A000.
        case refused
    }
    package var name: String
    package var state: State
    /// Runs behind those in front of it.
    package var example: String
    package var differences: String

    private init(_ name: String, _ state: State, _ example: String, _ differences: String = "") {
        self.name = name
        self.state = state
        self.example = example
        self.differences = differences
    }

    package static let all: [StatementCompatibility] = definitions + data + session + security + refusals

    private static func runs(_ name: String, _ example: String, _ differences: String = "") -> StatementCompatibility {
        StatementCompatibility(name, .runs, example, differences)
    }
    private static func refused(_ name: String, _ example: String) -> StatementCompatibility {
        StatementCompatibility(name, .refused, example)
    }

    private static let definitions: [StatementCompatibility] = [
        runs("CREATE DATABASE", "create database other", "FROM is refused"),
        runs("ALTER DATABASE", "alter database other connection limit 10", "INTEGRATION is refused"),
        runs("DROP DATABASE", "drop database other"),
        runs("CREATE SCHEMA", "create schema s1 quota 5 gb create table in_it (a int) grant select on in_it to public"),
        runs("ALTER SCHEMA", "alter schema s1 rename to s2"),
        runs("DROP SCHEMA", "drop schema s2 cascade"),
        runs(
            "CREATE TABLE", "create table t (a int not null, b varchar(10), c decimal(10,2)) distkey(a) sortkey(a)",
            "no GEOMETRY and GEOGRAPHY columns"),
        runs("CREATE TABLE AS", "create table u as select 1 as a, 'x'::varchar(10) as b"),
        runs("SELECT INTO", "select 1 as a into v1"),
        runs(
            "ALTER TABLE", "alter table u add column d int default 5",
            "external tables, ROW LEVEL SECURITY and MASKING are refused"),
        runs("CREATE TABLE LIKE", "create table v2 (like v1)"),
        runs("ALTER TABLE APPEND", "alter table v1 append from v2"),
        runs("DROP TABLE", "drop table v1"),
        runs("CREATE VIEW", "create view w as select a, b from u"),
        runs("DROP VIEW", "drop view w"),
        runs(
            "CREATE MATERIALIZED VIEW", "create materialized view mv auto refresh no as select a, b from u",
            "AUTO REFRESH is kept without effect; no streaming ingestion"),
        runs("REFRESH MATERIALIZED VIEW", "refresh materialized view mv", "never incremental"),
        runs(
            "ALTER MATERIALIZED VIEW", "alter materialized view mv auto refresh yes", "ROW LEVEL SECURITY is refused"),
        runs("DROP MATERIALIZED VIEW", "drop materialized view mv"),
        runs(
            "CREATE FUNCTION", "create function f1 (int) returns int stable as $$ select $1 + 1 $$ language sql",
            "language sql only"),
        runs("DROP FUNCTION", "drop function f1 (int)"),
        runs(
            "CREATE PROCEDURE", "create procedure p1 (inout x int) as $$ begin x := x + 1; end $$ language plpgsql"),
        runs("CALL", "call p1(1)"),
        runs("SHOW PROCEDURE", "show procedure p1(int)"),
        runs("ALTER PROCEDURE", "alter procedure p1(int) rename to p2"),
        runs("DROP PROCEDURE", "drop procedure p2(int)"),
        runs("COMMENT", "comment on table t is 'x'", "not on USER and ROLE"),
        runs("TRUNCATE", "truncate u"),
        runs("VACUUM", "vacuum full t to 90 percent boost"),
        runs("ANALYZE", "analyze t (a) all columns"),
        runs("ANALYZE COMPRESSION", "analyze compression t"),
    ]

    private static let data: [StatementCompatibility] = [
        runs("INSERT", "insert into t values (1, 'x', default), (2, null, 1.5)"),
        runs("UPDATE", "with x as (select 1 as i) update t set b = 'y' from x where t.a = x.i"),
        runs("DELETE", "with x as (select 9 as i) delete from t using x where t.a = x.i"),
        runs(
            "MERGE",
            """
            merge into t using u on t.a = u.a when matched then update set b = u.b
            when not matched then insert values (u.a, u.b, 0)
            """),
        runs(
            "SELECT", "select a, level from t start with a = 1 connect by prior a = a - 1",
            "FETCH FIRST, FROM (VALUES ...) and EXCEPT ALL are taken, too"),
        runs("EXPLAIN", "explain select * from t"),
        runs("BEGIN", "begin isolation level serializable"),
        runs("LOCK", "lock table t"),
        runs("DECLARE", "declare c cursor for select a from t"),
        runs("FETCH", "fetch forward 1 from c"),
        runs("CLOSE", "close c"),
        runs("COMMIT", "commit"),
        runs("START TRANSACTION", "start transaction read write"),
        runs("END", "end work"),
        runs("ROLLBACK", "rollback"),
        runs("ABORT", "abort"),
        runs("PREPARE", "prepare p (int) as select $1 + 1"),
        runs("EXECUTE", "execute p (1)"),
        runs("DEALLOCATE", "deallocate p"),
    ]

    private static let session: [StatementCompatibility] = [
        runs("SET", "set local query_group to 'x'", "docs of the parameters: SHOW ALL"),
        runs("SET SESSION AUTHORIZATION", "set session authorization default"),
        runs("SET SESSION CHARACTERISTICS", "set session characteristics as transaction isolation level serializable"),
        runs("RESET", "reset query_group"),
        runs("SHOW parameter", "show search_path"),
        runs("SHOW DATABASES", "show databases like 'd%' limit 5"),
        runs("SHOW SCHEMAS", "show schemas from database dev"),
        runs("SHOW TABLES", "show tables from schema dev.public like 't%'"),
        runs("SHOW COLUMNS", "show columns from table public.t"),
        runs("SHOW GRANTS", "show grants on table t"),
        runs("SHOW TABLE", "show table t"),
        runs("USE", "use dev"),
        runs("CREATE USER", "create user somebody password 'Abcd1234' createdb"),
        runs("ALTER USER", "alter user somebody connection limit 5"),
        runs("CREATE GROUP", "create group g1 with user somebody"),
        runs("ALTER GROUP", "alter group g1 rename to g2"),
        runs("DROP GROUP", "drop group g2"),
    ]

    private static let security: [StatementCompatibility] = [
        runs("CREATE ROLE", "create role r1"),
        runs("ALTER ROLE", "alter role r1 rename to r2"),
        runs("GRANT", "grant select on t to somebody with grant option", "ASSUMEROLE and datashares are refused"),
        runs("REVOKE", "revoke select on t from somebody cascade"),
        runs("ALTER DEFAULT PRIVILEGES", "alter default privileges grant select on tables to role r2"),
        runs("DROP ROLE", "drop role r2 force"),
        runs("DROP USER", "drop user somebody"),
    ]

    private static let refusals: [StatementCompatibility] = [
        refused("CREATE DATASHARE", "create datashare s"),
        refused("ALTER DATASHARE", "alter datashare s add schema public"),
        refused("DESC DATASHARE", "desc datashare s"),
        refused("SHOW DATASHARES", "show datashares"),
        refused("DROP DATASHARE", "drop datashare s"),
        refused("CREATE EXTERNAL SCHEMA", "create external schema e from data catalog database 'd' iam_role default"),
        refused("ALTER EXTERNAL SCHEMA", "alter external schema e owner to dev"),
        refused(
            "CREATE EXTERNAL TABLE", "create external table e.t (a int) stored as parquet location 's3://bucket/t/'"),
        refused("SHOW EXTERNAL TABLE", "show external table e.t"),
        refused("CREATE EXTERNAL VIEW", "create external view e.v as select 1"),
        refused("ALTER EXTERNAL VIEW", "alter external view e.v force as select 1"),
        refused(
            "CREATE EXTERNAL FUNCTION",
            "create external function f (int) returns int volatile lambda 'fn' iam_role default"),
        refused(
            "CREATE EXTERNAL MODEL",
            "create external model m function f iam_role default model_type bedrock settings (model_id 'x')"),
        refused(
            "CREATE MODEL",
            "create model m from t target b function f iam_role default settings (s3_bucket 'bucket')"),
        refused("SHOW MODEL", "show model m"),
        refused("DROP MODEL", "drop model m"),
        refused("CREATE LIBRARY", "create library l language plpythonu from 's3://bucket/l.zip' iam_role default"),
        refused("DROP LIBRARY", "drop library l"),
        refused("CREATE MASKING POLICY", "create masking policy p with (a int) using (a + 1)"),
        refused("ALTER MASKING POLICY", "alter masking policy p using (a)"),
        refused("ATTACH MASKING POLICY", "attach masking policy p on t (a) to public"),
        refused("DETACH MASKING POLICY", "detach masking policy p on t (a) from public"),
        refused("DROP MASKING POLICY", "drop masking policy p"),
        refused("CREATE RLS POLICY", "create rls policy p with (a int) using (a = 1)"),
        refused("ALTER RLS POLICY", "alter rls policy p using (a = 2)"),
        refused("ATTACH RLS POLICY", "attach rls policy p on table t to public"),
        refused("DETACH RLS POLICY", "detach rls policy p on table t from public"),
        refused("DROP RLS POLICY", "drop rls policy p"),
        refused(
            "CREATE IDENTITY PROVIDER",
            "create identity provider x type azure namespace 'aad' parameters '{}'"),
        refused("ALTER IDENTITY PROVIDER", "alter identity provider x namespace 'y'"),
        refused("DESC IDENTITY PROVIDER", "desc identity provider x"),
        refused("DROP IDENTITY PROVIDER", "drop identity provider x"),
        runs(
            "ALTER SYSTEM", "alter system set max_concurrency_scaling_clusters to 1",
            "data_catalog_auto_mount and metadata_security are refused"),
    ]

    /// The page of the documentation.
    package static var page: String {
        var lines = [
            "# Statements of Redshift", "",
            "Made from `Sources/Warehouse/Compatibility/StatementCompatibility.swift`; `Tests/WarehouseTests` runs",
            "every example and compares this page. *Refused* is: read, and refused with 0A000 and a hint that names",
            "the kind.",
            "COPY and UNLOAD: [loading.md](loading.md), with all their options.", "",
            "| statement | | differences |", "|---|---|---|",
        ]
        lines += all.map { "| \($0.name) | \($0.state.rawValue) | \($0.differences) |" }
        return lines.joined(separator: "\n") + "\n"
    }
}
