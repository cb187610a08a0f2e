import redshift_connector

from expectations import PLACE, TYPES, check, column_list

connection = redshift_connector.connect(**PLACE, ssl=False)
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
