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
    check(3, len(await connection.fetch("select * from generate_series(1, $1)", 3)), "series")
    await connection.execute("drop table t_asyncpg")
    await connection.close()


asyncio.run(main())
