import datetime
import decimal
import os

import redshift_connector

from expectations import D, PLACE, TYPES, check, column_list

# The driver moves the point of NUMERIC in Python's context, whose precision is 28.
decimal.getcontext().prec = 60
# Before 2.1 it read NUMERIC of 16 bytes wrongly where the lower half is negative as a number of its own.
is_old = redshift_connector.__version__.startswith("2.0")
plain = {"ssl": False, **({"client_protocol_version": 1} if is_old else {})}
connection = redshift_connector.connect(**PLACE, **plain)
connection.autocommit = True
cursor = connection.cursor()
cursor.execute("select 1")
check([1], list(cursor.fetchall()[0]), "select")
values = [value for _, value in TYPES]
cursor.execute("drop table if exists t_redshift")
cursor.execute(f"create table t_redshift (id int, {column_list()})")
marks = ", ".join(["%s"] * len(values))
cursor.execute(f"insert into t_redshift values (1, {marks})", values)
cursor.execute(f"insert into t_redshift values (2, {marks})", [None] * len(values))
cursor.execute("select * from t_redshift order by id")
rows = cursor.fetchall()
check([1, *values], list(rows[0]), "values")
check([2, *[None] * len(values)], list(rows[1]), "nulls")
try:
    cursor.execute("select * from no_such")
    raise SystemExit("no error")
except redshift_connector.ProgrammingError as error:
    check("42P01", error.args[0]["C"], "SQLSTATE")
cursor.execute("select * from generate_series(1, 50000) g")
check(50000, len(cursor.fetchall()), "big result")
connection.autocommit = False
cursor.execute("delete from t_redshift")
connection.rollback()
cursor.execute("select count(*) from t_redshift")
check([2], list(cursor.fetchall()[0]), "rollback")
connection.commit()
cursor.execute("drop table t_redshift")
connection.commit()

# Databases: made, connected to, told apart, dropped.
connection.autocommit = True
cursor.execute("create database d_redshift")
other = redshift_connector.connect(**{**PLACE, "database": "d_redshift"}, ssl=False)
other.autocommit = True
inside = other.cursor()
inside.execute("create table here (a int, b varchar(5))")
inside.execute("insert into here values (1, 'x')")
inside.execute("select current_database()")
check(["d_redshift"], list(inside.fetchall()[0]), "current_database")
cursor.execute("select a, b from d_redshift.public.here")
check([1, "x"], list(cursor.fetchall()[0]), "three-part name")
cursor.execute("select database_name from svv_redshift_databases order by 1")
check([["d_redshift"], ["dev"]], [list(row) for row in cursor.fetchall()], "databases")
other.close()
cursor.execute("drop database d_redshift")
try:
    redshift_connector.connect(**{**PLACE, "database": "d_redshift"}, ssl=False)
    raise SystemExit("no error")
except redshift_connector.Error as error:
    check("3D000", error.args[0]["C"], "no such database")
connection.close()

# As the driver connects by itself: encrypted, verified, with Redshift's own protocol; and its older forms.
os.environ["SSL_CERT_FILE"] = os.environ["REDBARN_CERTIFICATE"]
for mode in ("verify-ca", "verify-full"):
    redshift_connector.connect(**PLACE, sslmode=mode).close()
wide = D("12.5000000000" if is_old else "-1234567890123456789012345678.0123456789")
for version in (0, 1, 2):
    connection = redshift_connector.connect(**PLACE, client_protocol_version=version)
    check(version, int(connection._client_protocol_version), "protocol version")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("drop table if exists t_protocol cascade")
    cursor.execute(
        "create table t_protocol (id int identity(1,1), n decimal(10,2) not null, w decimal(38,10), d date, t time,"
        " z timetz, y interval year to month, s interval day to second, primary key (n))")
    cursor.execute(
        f"insert into t_protocol (n, w, d, t, z, y, s) values (-1.25, {wide},"
        " '1999-12-31', '12:34:56.789', '01:02:03+02', interval '1 year 2 months', interval '3 days 4 hours')")
    cursor.execute("insert into t_protocol (n) values (%s)", (D("99999999.99"),))
    cursor.execute("select n, w, d, t, n * 2 as twice from t_protocol order by n")
    first, second = (list(row) for row in cursor.fetchall())
    check(
        [D("-1.25"), wide, datetime.date(1999, 12, 31),
         datetime.time(12, 34, 56, 789000), D("-2.50")], first, f"values of version {version}")
    check([D("99999999.99"), None, None, None, D("199999999.98")], second, f"nulls of version {version}")
    cursor.execute("select id, n as renamed, n + 1, w from t_protocol")
    described = cursor.ps["row_desc"]
    check([True, True, False, True], [bool(field["table_oid"]) for field in described], "table oids")
    check([1, 2, 0, 3], [field["column_attrnum"] for field in described], "column numbers")
    if version > 0:
        check(
            [b"public", b"t_protocol", b"n", b"dev"],
            [described[1][key] for key in ("schema_name", "table_name", "column_name", "catalog_name")], "origin")
        check([1, 0, 1, 1], [field["nullable"] for field in described], "nullable")
        check([1, 0, 0, 0], [field["autoincrement"] for field in described], "autoincrement")
        check([b"", b""], [described[2]["table_name"], described[2]["column_name"]], "computed")
    cursor.execute("select y::varchar, s::varchar, z::varchar from t_protocol where y is not null")
    cursor.execute("select conkey, conname from pg_constraint c join pg_class r on r.oid = c.conrelid where relname = 't_protocol'")
    check([[2], "t_protocol_pkey"], list(cursor.fetchall()[0]), f"array of version {version}")
    cursor.execute("select indkey from pg_index i join pg_class r on r.oid = i.indrelid where relname = 't_protocol'")
    check([2], list(cursor.fetchall()[0][0]), f"vector of version {version}")
    cursor.execute("create view v_protocol as select n as seen, d from t_protocol")
    cursor.execute("select seen, d from v_protocol")
    check([1, 2], [field["column_attrnum"] for field in cursor.ps["row_desc"]], "columns of a view")
    cursor.execute("drop table t_protocol cascade")
    connection.close()
