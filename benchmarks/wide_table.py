"""The wide table of workloads.py: 100 columns, skewed numbers and strings, made by DuckDB from row numbers alone."""

# A uniform number below 1 for row i and a salt; `skew` is log-uniform below n: small numbers are frequent.
MACROS = """
create macro u(i, salt) as (hash(i * 1000 + salt) >> 11)::double / 9007199254740992.0;
create macro pick(i, salt, n) as floor(u(i, salt) * n)::bigint;
create macro skew(i, salt, n) as floor(pow(n, u(i, salt)))::bigint - 1;
create macro word(k) as list_extract(['winter', 'shop', 'red', 'cart', 'house', 'music', 'auto', 'phone', 'garden', 'news',
  'cheap', 'video', 'game', 'hotel', 'ticket', 'map', 'book', 'mail', 'sport', 'recipe'], (k % 20 + 1)::int);
"""


def columns():
    """(name, SQL type, expression over row number i) of the 100 columns."""
    result = [
        ("event_id", "bigint", "i * 7919 + 4000000000"),
        ("event_time", "timestamp", "timestamp '2026-01-01 00:00:00' + to_seconds((i * 9 + pick(i, 1, 600)))"),
        ("event_date", "date", "cast(timestamp '2026-01-01 00:00:00' + to_seconds((i * 9 + pick(i, 1, 600))) as date)"),
        ("counter_id", "integer", "skew(i, 2, 5000)"),
        ("user_id", "bigint", "skew(i, 3, 400000) * 48271 + 1000000000000"),
        ("client_ip", "integer", "skew(i, 4, 500000) * 4099"),
        ("region_id", "smallint", "skew(i, 5, 3000)"),
        ("os_id", "smallint", "skew(i, 6, 60)"),
        ("user_agent_id", "smallint", "skew(i, 7, 80)"),
        ("resolution_width", "smallint", "640 + 80 * skew(i, 8, 30)"),
        ("resolution_height", "smallint", "480 + 60 * skew(i, 9, 20)"),
        ("mobile_phone", "smallint", "case when u(i, 10) < 0.8 then 0 else skew(i, 11, 90) end"),
        ("mobile_model", "varchar(40)", "case when u(i, 10) < 0.8 then '' else 'model ' || skew(i, 12, 180) end"),
        ("search_engine_id", "smallint", "case when u(i, 13) < 0.85 then 0 else 1 + skew(i, 14, 20) end"),
        ("adv_engine_id", "smallint", "case when u(i, 15) < 0.96 then 0 else 1 + skew(i, 16, 20) end"),
        ("traffic_source", "smallint", "pick(i, 17, 9) - 1"),
        ("is_refresh", "smallint", "case when u(i, 18) < 0.1 then 1 else 0 end"),
        ("duration", "integer", "skew(i, 19, 100000)"),
        ("price", "decimal(12,2)", "cast(pow(10000, u(i, 20)) as decimal(12, 2))"),
        ("score", "double precision", "round(u(i, 21) * 100, 4)"),
        ("url", "varchar(400)",
         "'https://www.' || word(skew(i, 22, 20)) || skew(i, 23, 300) || '.example/' || word(pick(i, 24, 20)) || '/' "
         "|| word(pick(i, 25, 20)) || '?id=' || skew(i, 26, 100000)"),
        ("referer", "varchar(400)",
         "case when u(i, 27) < 0.3 then '' else 'https://' || word(skew(i, 28, 20)) || skew(i, 29, 2000) "
         "|| '.example/from/' || word(pick(i, 30, 20)) || '/' || skew(i, 31, 50000) end"),
        ("title", "varchar(400)",
         "word(skew(i, 32, 20)) || ' ' || word(pick(i, 33, 20)) || ' ' || word(pick(i, 34, 20)) || ' - page ' "
         "|| skew(i, 35, 3000)"),
        ("search_phrase", "varchar(200)",
         "case when u(i, 13) < 0.85 then '' else word(skew(i, 36, 20)) || ' ' || word(skew(i, 37, 20)) || ' ' "
         "|| skew(i, 38, 30000) end"),
    ]
    for index in range(1, 11):
        # From 4 different strings to about a million, short ones and long ones.
        different = 4 ** index
        text = f"word(skew(i, {100 + index}, 20)) || '-' || skew(i, {110 + index}, {different})"
        if index == 5:
            text = f"case when u(i, 99) < 0.4 then null else {text} end"
        result.append((f"s{index:02d}", "varchar(100)", text))
    for index in range(1, 11):
        number = f"skew(i, {130 + index}, {10 ** (1 + index % 8)})"
        result.append((f"n{index:02d}", "integer", f"case when u(i, {150 + index}) < 0.3 then null else {number} end"))
    rest = 100 - len(result)
    for index in range(1, rest + 1):
        number = "pick" if index % 2 else "skew"
        result.append((f"i{index:02d}", "integer", f"{number}(i, {200 + index}, {2 ** (1 + index % 20)})"))
    return result


def definition():
    return "create table hits (" + ", ".join(f"{name} {kind}" for name, kind, _ in columns()) + ")"


def write(path, rows, threads):
    """Writes the table as CSV; NULL is \\N, so that the empty string is a value."""
    import duckdb

    connection = duckdb.connect(config={"threads": threads})
    connection.execute(MACROS)
    fields = ", ".join(f"({expression})::{kind} as {name}" for name, kind, expression in columns())
    connection.execute(
        f"copy (select {fields} from (select range as i from range({rows})) t order by i) to '{path}' "
        "(format csv, header false, delimiter '|', nullstr '\\N')")
    connection.close()


def ninety_sums():
    return ", ".join(f"sum(resolution_width + {index}) as c{index}" for index in range(90))
