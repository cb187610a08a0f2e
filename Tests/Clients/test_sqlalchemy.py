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

# Keys: reflected with their columns, and in tables that are made from what was reflected.
with engine.begin() as connection:
    connection.execute(text("drop table if exists t_child; drop table if exists t_parent"))
    connection.execute(text("create table t_parent (a int, b int, c varchar(5), primary key (a, b), unique (c))"))
    connection.execute(text(
        "create table t_child (x int primary key, pb int, pa int, constraint child_parent foreign key (pa, pb)"
        " references t_parent (a, b))"))
inspector = sqlalchemy.inspect(engine)
check(["a", "b"], inspector.get_pk_constraint("t_parent")["constrained_columns"], "primary key")
check([["c"]], [key["column_names"] for key in inspector.get_unique_constraints("t_parent")], "unique")
key = inspector.get_foreign_keys("t_child")[0]
check((["pa", "pb"], "t_parent", ["a", "b"]),
      (key["constrained_columns"], key["referred_table"], key["referred_columns"]), "foreign key")
reflected = sqlalchemy.MetaData()
reflected.reflect(engine, only=["t_child"])
check({"t_child", "t_parent"}, set(reflected.tables), "reflected with what it refers to")
with engine.begin() as connection:
    connection.execute(text("drop table t_child; drop table t_parent"))
