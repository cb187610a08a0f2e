import sqlalchemy
from sqlalchemy import text

from expectations import PORT, check

engine = sqlalchemy.create_engine(f"redshift+psycopg2://dev:any@127.0.0.1:{PORT}/dev", connect_args={"sslmode": "disable"})
with engine.begin() as connection:
    connection.execute(text("drop table if exists t_sqlalchemy"))
    connection.execute(text("create table t_sqlalchemy (a int not null, b varchar(20)) distkey(a) sortkey(a)"))
    connection.execute(
        text("insert into t_sqlalchemy values (:a, :b)"), [{"a": 1, "b": "x"}, {"a": 2, "b": None}])
with engine.connect() as connection:
    rows = connection.execute(text("select a, b from t_sqlalchemy order by a")).all()
    check([(1, "x"), (2, None)], [tuple(row) for row in rows], "rows")
inspector = sqlalchemy.inspect(engine)
check(True, "t_sqlalchemy" in inspector.get_table_names(), "tables")
check(["a", "b"], [column["name"] for column in inspector.get_columns("t_sqlalchemy")], "columns")
with engine.begin() as connection:
    connection.execute(text("drop table t_sqlalchemy"))
