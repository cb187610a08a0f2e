import datetime
import decimal

import psycopg

from expectations import D, PLACE, TYPES, check, column_list

place = {**PLACE, "dbname": PLACE["database"]}
del place["database"]
connection = psycopg.connect(**place, autocommit=True)
values = [value for _, value in TYPES]
with connection.cursor() as cursor:
    cursor.execute("drop table if exists t_psycopg3")
    cursor.execute(f"create table t_psycopg3 (id int, {column_list()})")
    marks = ", ".join(["%s"] * len(values))
    binary_marks = ", ".join(["%b"] * len(values))
    cursor.execute(f"insert into t_psycopg3 values (1, {marks})", values)
    cursor.execute(f"insert into t_psycopg3 values (2, {marks})", [None] * len(values))
    cursor.execute(f"insert into t_psycopg3 values (3, {binary_marks})", values)
for binary in (False, True):
    with connection.cursor(binary=binary) as cursor:
        cursor.execute("select * from t_psycopg3 order by id")
        rows = cursor.fetchall()
        check((1, *values), rows[0], f"values, binary={binary}")
        check((2, *[None] * len(values)), rows[1], f"nulls, binary={binary}")
        check((3, *values), rows[2], f"binary parameters, binary={binary}")
        # Prepared after the fifth time; then by name.
        for round in range(8):
            cursor.execute("select id from t_psycopg3 where id = %s", (round,))
            check([(round,)] if round in (1, 2, 3) else [], cursor.fetchall(), "prepared")
        cursor.execute("select %s::interval", (datetime.timedelta(days=3, seconds=7),))
        check(datetime.timedelta(days=3, seconds=7), cursor.fetchone()[0], "interval")
        cursor.execute("select %s::time, %s::timetz", (datetime.time(1, 2, 3), "04:05:06+02"))
        check(datetime.time(1, 2, 3), cursor.fetchone()[0], "time")
        cursor.execute("select %s + 1", (decimal.Decimal("1.25"),))
        check(decimal.Decimal("2.25"), cursor.fetchone()[0], "decimal")
for state, statement in (("42P01", "select * from no_such"), ("42601", "selec"), ("22012", "select 1/0")):
    try:
        connection.execute(statement)
        raise SystemExit("no error")
    except psycopg.Error as error:
        check(state, error.sqlstate, "SQLSTATE")
with connection.pipeline():
    first = connection.execute("select 1")
    second = connection.execute("select %s", (2,))
    check((1,), first.fetchone(), "pipeline")
    check((2,), second.fetchone(), "pipeline")
try:
    with connection.pipeline():
        connection.execute("select 1")
        connection.execute("select * from no_such")
        connection.execute("select 2")
except psycopg.Error as error:
    check("42P01", error.sqlstate, "pipeline error")
check((3,), connection.execute("select 3").fetchone(), "after the pipeline")
with connection.cursor() as cursor:
    count = 0
    for row in cursor.stream("select * from generate_series(1, 300000) g"):
        count += 1
    check(300000, count, "stream")
try:
    with connection.transaction():
        connection.execute("delete from t_psycopg3")
        raise ZeroDivisionError
except ZeroDivisionError:
    pass
check((3,), connection.execute("select count(*) from t_psycopg3").fetchone(), "rollback")
connection.execute("drop table t_psycopg3")

# COPY: text, csv and binary, both ways.
rows = [(1, "eins", decimal.Decimal("1.50"), datetime.date(2024, 2, 29)), (2, None, None, None),
        (3, "tab\there, \"quoted\"\nnew line \\ end", decimal.Decimal("-0.25"), datetime.date(1999, 12, 31)), (4, "", decimal.Decimal("0.00"), None)]
connection.execute("create table t_copy (a int, b varchar(60), c decimal(10,2), d date)")
for form in ("", " (format csv)", " (format binary)"):
    connection.execute("truncate t_copy")
    with connection.cursor() as cursor:
        with cursor.copy(f"copy t_copy from stdin{form}") as copy:
            if "csv" in form:
                copy.write('1,eins,1.50,2024-02-29\n2,,,\n3,"tab\there, ""quoted""\nnew line \\ end",-0.25,1999-12-31\n')
                copy.write('4,"",0.00')
                copy.write(",\n")
            else:
                if "binary" in form:
                    copy.set_types(["int4", "varchar", "numeric", "date"])
                for row in rows:
                    copy.write_row(row)
        check(4, cursor.rowcount, f"copy{form}")
        check(rows, cursor.execute("select * from t_copy order by a").fetchall(), f"copy from{form}")
        with cursor.copy(f"copy (select * from t_copy order by a) to stdout{form}") as copy:
            if "csv" in form:
                text = b"".join(bytes(data) for data in copy).decode()
                check('1,eins,1.50,2024-02-29\n2,,,\n3,"tab\there, ""quoted""\nnew line \\ end",-0.25,1999-12-31\n4,"",0.00,\n',
                      text, "copy to csv")
            else:
                copy.set_types(["int4", "varchar", "numeric", "date"])
                check(rows, list(copy.rows()), f"copy to{form}")
try:
    with connection.cursor().copy("copy t_copy from stdin") as copy:
        copy.write("1\tx\t1\t2024-01-01\n2\tx\tnot a number\t\\N\n")
    raise SystemExit("no error")
except psycopg.Error as error:
    check("22P02", error.sqlstate, "bad row")
    check(True, "line 2, column c" in error.diag.message_detail, error.diag.message_detail)
try:
    with connection.cursor().copy("copy t_copy from stdin") as copy:
        copy.write("9\tx\t1\t2024-01-01\n")
        raise ZeroDivisionError
except (ZeroDivisionError, psycopg.errors.QueryCanceled):  # the second by versions before 3.2
    pass
check((4,), connection.execute("select count(*) from t_copy").fetchone(), "a failed copy leaves nothing")
with connection.cursor() as cursor:
    with cursor.copy("copy t_copy (a) from stdin") as copy:
        for block in range(100):
            copy.write("".join(f"{block * 10000 + row}\n" for row in range(10000)))
    check(1_000_000, cursor.rowcount, "many rows")
    with cursor.copy("copy t_copy to stdout") as copy:
        count = sum(1 for _ in copy.rows())
    check(1_000_004, count, "many rows back")
connection.execute("drop table t_copy")

# Sessions end each other, and limits of time hold.
with psycopg.connect(**place, autocommit=True) as other:
    pid = other.execute("select pg_backend_pid()").fetchone()[0]
    connection.execute("select pg_terminate_backend(%s)", (pid,))
    try:
        other.execute("select 1")
        raise SystemExit("not terminated")
    except psycopg.OperationalError as error:
        # Versions before 3.2 keep the text alone.
        check(True, error.sqlstate == "57P01" or "terminating connection" in str(error), f"terminated: {error}")
connection.execute("set statement_timeout to 100")
try:
    connection.execute("select count(*) from generate_series(1, 30000) a, generate_series(1, 300000) b where a % 7 = b % 11")
    raise SystemExit("no timeout")
except psycopg.Error as error:
    check("57014", error.sqlstate, "statement_timeout")
connection.execute("set statement_timeout to 0")

# Cursors of the server: declared by SQL, described as portals.
with connection.transaction():
    with connection.cursor(name="c") as named:
        named.itersize = 100
        named.execute("select n, n::varchar as t from generate_series(1, 250) s(n)")
        check(["n", "t"], [column.name for column in named.description], "columns of a named cursor")
        check([(number, str(number)) for number in range(1, 251)], list(named), "rows of a named cursor")

# The same text after the table has changed: no old plan, no old rows.
connection.execute("create table t_plans (a int, b int)")
for number in range(20):
    connection.execute(f"insert into t_plans values ({number}, {number * 2})")
    check([(number * 2,)], connection.execute(f"select b from t_plans where a = {number}").fetchall(), "text")
    check([(number * 2,)], connection.execute("select b from t_plans where a = %s", (number,), prepare=True).fetchall(), "prepared")
    check([], connection.execute(f"select b from t_plans where a = {number + 1}").fetchall(), "not there yet")
connection.execute("alter table t_plans add column c varchar(5) default 'x'")
check([(3, 6, "x")], connection.execute("select * from t_plans where a = 3").fetchall(), "new column")
connection.execute("drop table t_plans")
connection.execute("create table t_plans (a varchar(5))")
connection.execute("insert into t_plans values ('3')")
check([("3",)], connection.execute("select * from t_plans where a = '3'").fetchall(), "another table")
connection.execute("drop table t_plans")

# Arrays: parameters of `= any(...)` of every simple type, in both forms, and arrays of the catalog.
connection.execute("create table t_arrays (a int, n decimal(8,2), t varchar(10), d date, b boolean)")
connection.execute("insert into t_arrays values (1, 1.5, 'x', '2024-01-01', true), (2, 2.25, 'y, z', '2024-01-02', false)")
for column, members in [
    ("a", [2, 7]), ("n", [D("2.25")]), ("t", ["y, z", 'q"\\']), ("d", [datetime.date(2024, 1, 2)]), ("b", [False]),
]:
    for form in ("%s", "%b", "%t"):
        rows = connection.execute(f"select a from t_arrays where {column} = any({form})", (members,)).fetchall()
        check([(2,)], rows, f"any of {column} as {form}")
        rows = connection.execute(f"select a from t_arrays where {column} <> all({form})", (members,)).fetchall()
        check([(1,)], rows, f"all of {column} as {form}")
check([], connection.execute("select a from t_arrays where a = any(%s)", ([],)).fetchall(), "any of nothing")
check([(3,)], connection.execute("select count(*) from generate_series(1, %s)", (3,)).fetchall(), "series")
for form in (False, True):
    cursor = connection.cursor(binary=form)
    cursor.execute("create table t_keys (a int, b int, primary key (b, a))")
    cursor.execute("select conkey, conrelid::regclass::text from pg_constraint where conname = 't_keys_pkey'")
    check([([2, 1], "t_keys")], cursor.fetchall(), f"conkey, binary: {form}")
    cursor.execute("select array[1, 2], array['a', null], current_schemas(false)")
    check([([1, 2], ["a", None], ["public"])], cursor.fetchall(), f"arrays, binary: {form}")
    cursor.execute("drop table t_keys")
connection.execute("drop table t_arrays")

# What the server tells of settings.
connection.execute("set datestyle to 'ISO, YMD'; set timezone to '+02:00'")
check("ISO, YMD", connection.info.parameter_status("DateStyle"), "DateStyle")
check("+02:00", connection.info.parameter_status("TimeZone"), "TimeZone")
connection.close()
