import asyncio

import asyncpg

from expectations import PLACE, TYPES, check, column_list


async def main():
    connection = await asyncpg.connect(**PLACE)
    check(1, await connection.fetchval("select 1"), "select")
    values = [value for _, value in TYPES]
    await connection.execute("drop table if exists t_asyncpg")
    await connection.execute(f"create table t_asyncpg (id int, {column_list()})")
    marks = ", ".join(f"${i + 2}" for i in range(len(values)))
    await connection.execute(f"insert into t_asyncpg values ($1, {marks})", 1, *values)
    await connection.execute(f"insert into t_asyncpg values ($1, {marks})", 2, *[None] * len(values))
    rows = await connection.fetch("select * from t_asyncpg order by id")
    check((1, *values), tuple(rows[0]), "values")
    check((2, *[None] * len(values)), tuple(rows[1]), "nulls")
    try:
        await connection.fetch("select * from no_such")
        raise SystemExit("no error")
    except asyncpg.PostgresError as error:
        check("42P01", error.sqlstate, "SQLSTATE")
    check(200000, len(await connection.fetch("select * from generate_series(1, 200000) g")), "big result")
    async with connection.transaction():
        seen = 0
        async for row in connection.cursor("select * from generate_series(1, 1000) g", prefetch=100):
            seen += 1
        check(1000, seen, "portal in parts")
    try:
        await asyncio.wait_for(
            connection.fetch(
                "select count(*) from generate_series(1, 200000) a, generate_series(1, 100000) b "
                "where a.a % 7 = b.b % 11"), 0.3)
        raise SystemExit("not cancelled")
    except asyncio.TimeoutError:
        pass
    check(4, await connection.fetchval("select 4"), "after cancel")
    # Arrays: the server says the parameter's type, and catalogs' arrays come as lists.
    check(
        [1, 3], [row[0] for row in await connection.fetch(
            "select g from generate_series(1, 5) as s(g) where g = any($1) order by 1", [1, 3, 9])], "any")
    check(
        [2], [row[0] for row in await connection.fetch(
            "select g from generate_series(1, 3) as s(g) where g <> all($1::bigint[]) order by 1", [1, 3])], "all")
    check(3, len(await connection.fetch("select * from generate_series(1, $1)", 3)), "series")
    await connection.execute("create table t_keys (a int, b int, unique (b, a))")
    check(
        [2, 1], await connection.fetchval(
            "select conkey from pg_constraint c join pg_class r on r.oid = c.conrelid where relname = 't_keys'"), "conkey")
    await connection.execute("drop table t_keys")
    await connection.execute("drop table t_asyncpg")
    await connection.close()


asyncio.run(main())
