import datetime

import awswrangler
import pandas
import redshift_connector

from expectations import PLACE, check

connection = redshift_connector.connect(**PLACE, ssl=False)
frame = pandas.DataFrame({
    "id": [1, 2, 3],
    "s": ["a", "Grüße 世界", None],
    "f": [1.5, None, 2.5],
    "b": [True, False, None],
    "d": [datetime.date(2024, 2, 29), None, datetime.date(2000, 1, 1)],
    "t": pandas.to_datetime(["2024-01-01 10:00:00", None, "1999-12-31 23:59:59.123456"], format="ISO8601"),
})
awswrangler.redshift.to_sql(
    frame, connection, "t_wrangler", "public", mode="overwrite", primary_keys=["id"], diststyle="KEY", distkey="id",
    sortkey=["id"])
awswrangler.redshift.to_sql(frame, connection, "t_wrangler", "public", mode="append", use_column_names=True)
awswrangler.redshift.to_sql(frame, connection, "t_wrangler", "public", mode="upsert", primary_keys=["id"])
read = awswrangler.redshift.read_sql_query("select * from t_wrangler order by id", connection)
check(["id", "s", "f", "b", "d", "t"], list(read.columns), "columns")
check([1, 2, 3], list(read["id"]), "upsert leaves a row for each key")
check("Grüße 世界", read["s"][1], "text")
check([True, True, False], list(read["s"].notna()), "nulls")
check([True, False], list(read["b"][:2]), "booleans")
check(datetime.date(2024, 2, 29), read["d"][0], "dates")
check(pandas.Timestamp("1999-12-31 23:59:59.123456"), read["t"][2], "timestamps")
table = awswrangler.redshift.read_sql_table("t_wrangler", connection, schema="public")
check((3, 6), table.shape, "table")
one = awswrangler.redshift.read_sql_query("select s from t_wrangler where id = %s", connection, params=[2])
check(["Grüße 世界"], list(one["s"]), "parameters")
chunks = awswrangler.redshift.read_sql_query(
    "select g, g::decimal(12,2) as d, g::varchar as v from generate_series(1, 100000) g", connection, chunksize=10000)
check(100000, sum(len(chunk) for chunk in chunks), "chunks")
try:
    awswrangler.redshift.read_sql_query("select * from no_such", connection)
    raise SystemExit("no error")
except redshift_connector.ProgrammingError as error:
    check("42P01", error.args[0]["C"], "SQLSTATE")
connection.rollback()
with connection.cursor() as cursor:
    cursor.execute("drop table t_wrangler")
connection.commit()
connection.close()
