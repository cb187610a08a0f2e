"""What all Python client tests have in common: where the server is, and the rows that come back from everywhere."""
import datetime
import decimal
import os

PORT = int(os.environ["REDBARN_PORT"])
PLACE = {"host": "127.0.0.1", "port": PORT, "user": "dev", "password": "any", "database": "dev"}

D = decimal.Decimal
TYPES = [
    ("boolean", True),
    ("smallint", -32768),
    ("integer", 2147483647),
    ("bigint", -9223372036854775808),
    ("real", 1.5),
    ("double precision", 0.1),
    ("decimal(10,2)", D("-1234.50")),
    ("decimal(38,10)", D("1234567890123456789012345678.0123456789")),
    ("varchar(50)", "Grüße, 世界 🌍 'quoted' \\ \""),
    ("date", datetime.date(2024, 2, 29)),
    ("timestamp", datetime.datetime(1999, 12, 31, 23, 59, 59, 123456)),
]


def check(wanted, got, what=""):
    if wanted != got:
        raise SystemExit(f"{what}: expected {wanted!r}, got {got!r}")


def column_list():
    return ", ".join(f"c{i} {t}" for i, (t, _) in enumerate(TYPES))
