"""awswrangler's COPY and UNLOAD over S3, as a program of the clients' environment: PORT, ENDPOINT and AWS's variables are set."""
import os

import awswrangler
import pandas
import redshift_connector

ROLE = "arn:aws:iam::123456789012:role/Loader"
connection = redshift_connector.connect(
    host="127.0.0.1", port=int(os.environ["PORT"]), user="dev", password="x", database="dev", ssl=False)
frame = pandas.DataFrame({
    "id": range(1000), "name": [f"name {number}" for number in range(1000)], "v": [number / 4 for number in range(1000)],
    "d": pandas.date_range("2026-01-01", periods=1000, freq="h")})


def count():
    return connection.cursor().execute("select count(*), sum(id) from wrangled").fetchall()[0]


for mode, rows in [("overwrite", 1000), ("append", 2000), ("upsert", 1000)]:
    keys = {"primary_keys": ["id"]} if mode == "upsert" else {}
    awswrangler.redshift.copy(
        df=frame, path="s3://lake/stage/", con=connection, table="wrangled", schema="public", mode=mode, iam_role=ROLE, **keys)
    found = count()
    assert found == [rows, 499_500 * rows // 1000], (mode, found)
back = awswrangler.redshift.unload(
    sql="select * from wrangled order by id", path="s3://lake/wrangled/", con=connection, iam_role=ROLE)
assert sorted(back["id"]) == list(range(1000)) and set(back["name"]) == set(frame["name"])
assert back["d"].min() == pandas.Timestamp("2026-01-01") and back["v"].sum() == frame["v"].sum()
