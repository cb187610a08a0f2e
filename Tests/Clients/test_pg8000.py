import pg8000.dbapi

from expectations import PLACE, TYPES, check, column_list

connection = pg8000.dbapi.connect(**PLACE)
connection.autocommit = True
cursor = connection.cursor()
values = [value for _, value in TYPES]
cursor.execute("drop table if exists t_pg8000")
cursor.execute(f"create table t_pg8000 (id int, {column_list()})")
marks = ", ".join(["%s"] * len(values))
cursor.execute(f"insert into t_pg8000 values (1, {marks})", values)
cursor.execute(f"insert into t_pg8000 values (2, {marks})", [None] * len(values))
cursor.execute("select * from t_pg8000 order by id")
rows = cursor.fetchall()
check([1, *values], list(rows[0]), "values")
check([2, *[None] * len(values)], list(rows[1]), "nulls")
try:
    cursor.execute("select * from no_such")
    raise SystemExit("no error")
except pg8000.dbapi.DatabaseError as error:
    check("42P01", error.args[0]["C"], "SQLSTATE")
cursor.execute("drop table t_pg8000")
connection.close()
