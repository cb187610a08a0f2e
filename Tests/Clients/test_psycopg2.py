import threading
import time

import psycopg2

from expectations import PLACE, TYPES, check, column_list

connection = psycopg2.connect(**PLACE)
connection.autocommit = True
cursor = connection.cursor()
cursor.execute("select 1")
check([(1,)], cursor.fetchall(), "select")
values = [value for _, value in TYPES]
cursor.execute("drop table if exists t_psycopg2")
cursor.execute(f"create table t_psycopg2 (id int, {column_list()})")
marks = ", ".join(["%s"] * len(values))
cursor.execute(f"insert into t_psycopg2 values (1, {marks})", values)
cursor.execute(f"insert into t_psycopg2 values (2, {marks})", [None] * len(values))
cursor.execute("select * from t_psycopg2 order by id")
rows = cursor.fetchall()
check((1, *values), rows[0], "values")
check((2, *[None] * len(values)), rows[1], "nulls")
try:
    cursor.execute("select * from no_such_table")
    raise SystemExit("no error")
except psycopg2.Error as error:
    check("42P01", error.pgcode, "SQLSTATE")
try:
    cursor.execute("select 1/0 from t_psycopg2")
    raise SystemExit("no error")
except psycopg2.Error as error:
    check("22012", error.pgcode, "SQLSTATE")
connection.autocommit = False
cursor.execute("delete from t_psycopg2")
connection.rollback()
cursor.execute("select count(*) from t_psycopg2")
check([(2,)], cursor.fetchall(), "rollback")
connection.commit()
cursor.execute("select g, 'row ' || g::varchar from generate_series(1, 200000) g")
check(200000, len(cursor.fetchall()), "big result")
connection.commit()
with connection.cursor(name="named") as named:
    named.itersize = 1000
    named.execute("select g from generate_series(1, 5000) g")
    check(5000, sum(1 for _ in named), "named cursor")
connection.commit()

# A statement that runs for long ends soon after cancel().
threading.Timer(0.3, connection.cancel).start()
start = time.time()
try:
    cursor.execute(
        "select count(*) from generate_series(1, 200000) a, generate_series(1, 100000) b where a.a % 7 = b.b % 11")
    raise SystemExit("not cancelled")
except psycopg2.Error as error:
    check("57014", error.pgcode, "cancel")
check(True, time.time() - start < 5, "cancel in time")
connection.rollback()
cursor.execute("drop table t_psycopg2")
connection.commit()
connection.close()
