"""psqlodbc, from Debian's odbc-postgresql: what tools on ODBC ask for."""
import datetime
import decimal

import pyodbc

from expectations import PORT, check

D = decimal.Decimal
# 7.4-1: an error ends the transaction; by default the driver sets savepoints, which Redshift does not have.
PLACE = f"DRIVER={{PostgreSQL Unicode}};SERVER=127.0.0.1;PORT={PORT};DATABASE=dev;UID=dev;PWD=any;Protocol=7.4-1;"

for options in ("SSLmode=disable;", "SSLmode=require;", "SSLmode=prefer;UseServerSidePrepare=0;", "UseDeclareFetch=1;Fetch=100;"):
    connection = pyodbc.connect(PLACE + options, autocommit=True)
    cursor = connection.cursor()
    cursor.execute("drop table if exists t_odbc cascade")
    cursor.execute(
        "create table t_odbc (id int not null primary key, t varchar(40), n decimal(10,2), d date, s timestamp,"
        " f double precision, b boolean, l bigint)")
    row = (1, "Grüße 世界", D("-12.50"), datetime.date(2024, 2, 29), datetime.datetime(1999, 12, 31, 23, 59, 59, 123000), 0.1,
           True, -9223372036854775808)
    marks = ", ".join("?" * len(row))
    cursor.execute(f"insert into t_odbc values ({marks})", row)
    cursor.execute(f"insert into t_odbc values ({marks})", (2,) + (None,) * 7)
    got = [list(found) for found in cursor.execute("select * from t_odbc order by id").fetchall()]
    got[0][6] = got[0][6] in (True, "1", "t")
    check(list(row), got[0], f"values with {options}")
    check([2] + [None] * 7, got[1], f"nulls with {options}")
    check([(1,)], [tuple(found) for found in cursor.execute("select id from t_odbc where t = ?", ("Grüße 世界",))], "filter")
    check(5000, len(cursor.execute("select n from generate_series(1, 5000) s(n)").fetchall()), "many rows")
    check(True, any(table.table_name == "t_odbc" for table in cursor.tables(table="t_odbc")), "SQLTables")
    check(
        ["id", "t", "n", "d", "s", "f", "b", "l"], [column.column_name for column in cursor.columns(table="t_odbc")],
        "SQLColumns")
    check(["id"], [key.column_name for key in cursor.primaryKeys("t_odbc")], "SQLPrimaryKeys")
    cursor.execute("create table t_odbc_child (a int references t_odbc (id))")
    # Of servers older than 8.1 the driver asks for triggers, which Redshift does not have.
    check([], list(cursor.foreignKeys(foreignTable="t_odbc_child")), "SQLForeignKeys")
    list(cursor.statistics("t_odbc"))
    list(cursor.rowIdColumns("t_odbc"))
    check(True, len(cursor.getTypeInfo().fetchall()) > 5, "SQLGetTypeInfo")
    list(cursor.procedures())
    try:
        cursor.execute("select * from no_such")
        raise SystemExit("no error")
    except pyodbc.Error as error:
        check("42P01", error.args[0], "SQLSTATE")
    cursor.execute("drop table t_odbc_child")
    connection.close()
    connection = pyodbc.connect(PLACE + options, autocommit=False)
    cursor = connection.cursor()
    cursor.execute("delete from t_odbc")
    connection.rollback()
    check(2, cursor.execute("select count(*) from t_odbc").fetchone()[0], "rollback")
    cursor.execute("drop table t_odbc")
    connection.commit()
    connection.close()
