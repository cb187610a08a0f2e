import datetime
import decimal

import psycopg

from expectations import PLACE, TYPES, check, column_list

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
connection.close()
