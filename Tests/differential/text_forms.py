"""The function table: texts, dates and times."""
from forms import Form, SAME, SCALARS, add, first, number, words
from sqltypes import DATE, INTEGER, INTERVAL, TEXT, TIME, TIMESTAMP, TIMESTAMPTZ, BIGINT, INEXACT

LENGTHS = number(0, 1, 2, 3, 10)
PIECES = words("a", "b", "ab", "x", "1", "om")
add("text",
    Form("concatenate", ["text", "text"], TEXT, "({0} || {1})", weight=3), Form("concat", ["text", "text"], TEXT, "concat({0}, {1})",
         "({0} || {1})", "({0} || {1})"),
    Form("upper", ["text"], first, "upper({0})", clean="arguments", weight=2),
    Form("lower", ["text"], first, "lower({0})", clean="arguments"),
    Form("initcap", ["text"], first, "initcap({0})", SAME, None, clean="arguments"),
    Form("substring", ["text", number(1, 2, 3, 20), LENGTHS], TEXT, "substring({0}, {1}, {2})", weight=2),
    Form("substring-all", ["text", number(-1, 0, 1, 2)], TEXT, "substring({0}, {1})", SAME, None),
    Form("left", ["text", LENGTHS], TEXT, "left({0}, {1})"), Form("right", ["text", LENGTHS], TEXT, "right({0}, {1})"),
    Form("btrim", ["text"], TEXT, "btrim({0})", SAME, "trim({0}, ' ')", clean=True),
    Form("btrim", ["text", PIECES], TEXT, "btrim({0}, {1})", SAME, "trim({0}, {1})"),
    Form("ltrim", ["text", PIECES], TEXT, "ltrim({0}, {1})", clean="arguments"),
    Form("rtrim", ["text"], TEXT, "rtrim({0})", SAME, "rtrim({0}, ' ')", clean=True),
    Form("lpad", ["text", LENGTHS, PIECES], TEXT, "lpad({0}, {1}, {2})"),
    Form("rpad", ["text", LENGTHS, PIECES], TEXT, "rpad({0}, {1}, {2})"),
    Form("replace", ["text", PIECES, words("", "zz", "a", " ")], TEXT, "replace({0}, {1}, {2})"),
    Form("translate", ["text", words("abc", "ab", "xyz"), words("x", "123", "")], TEXT, "translate({0}, {1}, {2})"),
    Form("reverse", ["text"], TEXT, "reverse({0})"), Form("repeat", ["text", number(0, 1, 2, 3)], TEXT, "repeat({0}, {1})"),
    Form("split", ["text", words(" ", "b", "_", "aa"), number(1, 2, 3)], TEXT, "split_part({0}, {1}, {2})"),
    Form("md5", ["text"], TEXT, "md5({0})", clean=True), Form("sha1", ["text"], TEXT, "sha1({0})", None, None, clean=True),
    Form("crc32", ["text"], TEXT, "crc32({0})", None, None, clean=True),
    Form("hex", ["int"], TEXT, "to_hex(({0})::bigint)", SAME, None, clean=True),
    Form("quote", ["text"], TEXT, "quote_literal({0})", SAME, None, clean=True),
    Form("int-text", ["int"], TEXT, "({0})::varchar", "({0})::text", "({0})::text", clean=True, weight=2),
    Form("date-text", ["date"], TEXT, "({0})::varchar", "({0})::text", "({0})::text", clean=True),
    Form("timestamp-text", ["timestamp"], TEXT, "({0})::varchar", "({0})::text", "({0})::text", clean=True),
    Form("regex-replace", ["text", words("[a-c]", "b+", "^a", "[0-9]"), words("X", "", "yy")], TEXT, "regexp_replace({0}, {1}, {2})",
         "regexp_replace({0}, {1}, {2}, 'g')", "regexp_replace({0}, {1}, {2}, 'g')"),
    Form("regex-substring", ["text", words("[a-c]+", "b.", "[0-9]+")], TEXT, "regexp_substr({0}, {1})",
         "case when {0} is null then null else coalesce(regexp_substr({0}, {1}), '') end", None),
    Form("format-date", ["date", words("YYYY-MM-DD", "MM/DD", "Mon", "DDD", "Q", "Day")], TEXT, "to_char({0}, {1})", SAME, None),
    Form("format-time", ["timestamp", words("HH24:MI:SS", "HH12 AM", "YYYY-MM-DD HH24")], TEXT, "to_char({0}, {1})", SAME, None))
add("int",
    Form("length", ["text"], INTEGER, "length({0})", weight=4), Form("length-char", ["char"], INTEGER, "length({0})", SAME, SAME),
    Form("octets", ["text"], INTEGER, "octet_length({0})", SAME, "strlen({0})"),
    Form("position", ["text", PIECES], INTEGER, "strpos({0}, {1})"),
    Form("position", ["text", "text"], INTEGER, "charindex({1}, {0})", "strpos({0}, {1})", "strpos({0}, {1})"),
    Form("ascii", ["text"], INTEGER, "ascii({0})", SAME, None),
    Form("regex-count", ["text", words("[a-c]", "b+", "[0-9]")], INTEGER, "regexp_count({0}, {1})", SAME, None),
    Form("regex-position", ["text", words("[a-c]", "b+", "[0-9]")], INTEGER, "regexp_instr({0}, {1})", SAME, None))

# MARK: Dates

for part in ("year", "month", "day", "dow", "doy", "quarter", "week"):
    # DuckDB takes a part of a NULL constant for a DOUBLE.
    duck = f"extract({part} from {{0}})::integer"
    add("int", Form("extract", ["date"], INTEGER, f"extract({part} from {{0}})", f"extract({part} from {{0}})::integer", duck),
        Form("extract", ["timestamp"], INTEGER, f"date_part('{part}', {{0}})", f"extract({part} from {{0}})::integer", duck))
for part in ("hour", "minute"):
    for kind in ("timestamp", "timestamptz", "time"):
        add("int", Form("extract", [kind], INTEGER, f"extract({part} from {{0}})", f"extract({part} from {{0}})::integer"))
for part in ("decade", "century", "millennium"):
    add("int", Form("extract-quirk", ["date"], INTEGER, f"extract({part} from {{0}})", None, None))
# PostgreSQL's years jump from -1 to 1.
YEAR = "(extract(year from {%d}) + (extract(year from {%d}) < 0)::integer)"
MONTHS = f"(({YEAR % (1, 1)} - {YEAR % (0, 0)}) * 12 + extract(month from {{1}}) - extract(month from {{0}}))::bigint"
DUCK_MONTHS = "date_diff('month', {0}, {1})"
add("int", Form("date-difference", ["date", "date"], INTEGER, "({0} - {1})", SAME, "date_diff('day', {1}, {0})"),
    Form("datediff", ["date", "date"], BIGINT, "datediff(day, {0}, {1})", "({1} - {0})::bigint", "date_diff('day', {0}, {1})"),
    Form("datediff", ["date", "date"], BIGINT, "datediff(month, {0}, {1})", MONTHS, DUCK_MONTHS),
    Form("datediff", ["timestamp", "timestamp"], BIGINT, "datediff(hour, {0}, {1})", None, "date_diff('hour', {0}, {1})"),
    Form("datediff-quirk", ["timestamp", "timestamp"], BIGINT, "datediff(week, {0}, {1})", None, None))
DAYS = number(0, 1, -1, 30, 365, -1000)
add("date", Form("add-days", ["date", DAYS], DATE, "({0} + {1})"), Form("subtract-days", ["date", DAYS], DATE, "({0} - {1})"),
    Form("add-days", ["date", "int"], DATE, "({0} + ({1} % 1000)::integer)", SAME, None),
    Form("to-date", ["timestamp"], DATE, "({0})::date", weight=2),
    Form("last-day", ["date"], DATE, "last_day({0})", "(date_trunc('month', {0}::timestamp) + interval '1 month - 1 day')::date"),
    Form("next-day", ["date"], DATE, "next_day({0}, 'Mon')", None, None))
for part in ("month", "year", "quarter", "week", "day"):
    add("timestamp", Form("truncate", ["date"], TIMESTAMP, f"date_trunc('{part}', {{0}})", f"date_trunc('{part}', {{0}}::timestamp)",
                          f"date_trunc('{part}', {{0}}::timestamp)"),
        Form("truncate", ["timestamp"], TIMESTAMP, f"date_trunc('{part}', {{0}})"))
for part in ("day", "month", "year", "hour"):
    amount = number(0, 1, -1, 12, 13, -100)
    added = f"({{0}}::timestamp + {{1}} * interval '1 {part}')"
    add("timestamp", Form("dateadd", ["date", amount], TIMESTAMP, f"dateadd({part}, {{1}}, {{0}})", added, added),
        Form("dateadd", ["timestamp", amount], TIMESTAMP, f"dateadd({part}, {{1}}, {{0}})", added, added))
add("timestamp", Form("to-timestamp", ["date"], TIMESTAMP, "({0})::timestamp", weight=3),
    Form("zone", ["timestamptz"], TIMESTAMP, "({0} at time zone 'America/New_York')", SAME, None),
    Form("add-months", ["date", number(1, -1, 12)], TIMESTAMP, "add_months({0}, {1})", None, None),
    Form("add-interval", ["timestamp"], TIMESTAMP, "({0} + interval '1 day 02:03:04')"),
    *[Form("truncate", ["timestamp"], TIMESTAMP, f"date_trunc('{part}', {{0}})", weight=0.5)
      for part in ("hour", "minute", "second", "milliseconds", "microseconds")])
add("timestamptz", Form("to-timestamptz", ["timestamp"], TIMESTAMPTZ, "({0})::timestamptz", SAME, None),
    Form("zone", ["timestamp"], TIMESTAMPTZ, "({0} at time zone 'Europe/Berlin')", SAME, None),
    Form("truncate", ["timestamptz"], TIMESTAMPTZ, "date_trunc('day', {0})", SAME, None))
add("time", Form("to-time", ["timestamp"], TIME, "({0})::time"), Form("add-interval", ["time"], TIME, "({0} + interval '90 minutes')"))
INTERVALS = [Form("subtract", ["timestamp", "timestamp"], INTERVAL, "({0} - {1})", SAME, None)]
add("interval", *INTERVALS, Form("negate", ["interval"], INTERVAL, "(- {0})", SAME, None),
    Form("greatest", ["interval", "interval"], INTERVAL, "greatest({0}, {1})", SAME, None))
MONTHS_BETWEEN = Form("months-between", ["timestamp", "timestamp"], INEXACT, "months_between({0}, {1})", None, None)
RTRIM = next(form for form in SCALARS["text"] if form.name == "rtrim")
BOOLEAN_FORMS = SCALARS["bool"]
