"""Extreme values of every type as SQL expressions, and the texts that functions of strings look into."""
import json
import random

# A type as DDL writes it -> the family whose values it takes. The first one of a family stands for its bare name.
VARIANTS = {
    "boolean": ["boolean"],
    "smallint": ["smallint"],
    "integer": ["integer"],
    "bigint": ["bigint"],
    "numeric": ["numeric(18,0)", "numeric(18,4)", "numeric(38,0)", "numeric(38,10)", "numeric(19,2)", "numeric(20,2)",
                "numeric(38,37)", "numeric(38,38)", "numeric(5,5)", "numeric(9,2)"],
    "real": ["real"],
    "double precision": ["double precision"],
    "character": ["char(10)", "char(1)", "char(4096)"],
    "character varying": ["varchar(256)", "varchar(65535)", "varchar(12)"],
    "date": ["date"],
    "time without time zone": ["time"],
    "time with time zone": ["timetz"],
    "timestamp without time zone": ["timestamp"],
    "timestamp with time zone": ["timestamptz"],
    "interval": ["interval"],
    "interval year to month": ["interval year to month", "interval year"],
    "interval day to second": ["interval day to second", "interval hour to second(3)", "interval minute"],
    "binary varying": ["varbyte(64)", "varbyte(1024000)"],
    "super": ["super"],
    "hllsketch": ["hllsketch"],
}
FAMILY = {variant: family for family, variants in VARIANTS.items() for variant in variants}
MINIMUM = 40


def quoted(text):
    """A literal that reads alike whether or not backslashes are escapes."""
    if "\\" not in text:
        return "'" + text.replace("'", "''") + "'"
    return "(" + "||chr(92)||".join("'" + part.replace("'", "''") + "'" for part in text.split("\\")) + ")"


DOCUMENTS = ["null", "true", "false", "0", "-1", "127", "-128", "128", "32767", "-32768", "32768", "2147483647", "-2147483648", "2147483648",
             "9223372036854775807", "-9223372036854775808", "9223372036854775808", "0.0", "0.1", "-1.50", "9" * 38, "-" + "9" * 38, "9" * 39,
             "0." + "0" * 36 + "1", "1e0", "1e-300", "-1e308", "4.9e-324", "1e15", '""', '"a"', '"a "', '"1"', '"2020-02-29"', '"é漢😀"', '"a\\"\\\\n"',
             "[]", "[1]", "[1.0]", "[null]", "[[]]", '[1,"a",null,true,{"k":[2]}]', "[" * 512 + "]" * 512, "[" + "1," * 300 + "1]",
             "{}", '{"a":1}', '{"a":1.0}', '{"b":1,"a":2}', '{"a":2,"b":1}', '{"a":1,"a":2}', '{"":{"":[]}}', '{"A":1,"É":{"k":null}}',
             "{" + ",".join(f'"k{n}":{n}' for n in range(60)) + "}", '{"a":{"b":{"c":{"d":"x"}}}}']


def integers(bits):
    top = 1 << (bits - 1)
    near = [0, 1, -1, 2, -2, 3, 7, 8, 9, 10, -10, 11, 12, 13, 15, 16, 17, 18, 19, 20, 31, 32, 33, 36, 37, 38, 39, -38, -39, 60, 63,
            64, 65, 99, 100, 127, 128, 255, 256, 1000, 4096, 32767, -32768, 32766]
    far = [55296, 57343, 65535, 65536, 1114111, 1114112, 719468, 2440588, 16777216, 106751991, 106751992, 178956970,
           999999999, 1000000000, 2147483646, 2147483647, -2147483647, -2147483648, 2147483648, -2147483649,
           4294967295, 4294967296, 10**12, 86399999999, 86400000000, 2**53 - 1, 2**53, 2**53 + 1, 10**18 - 1, 10**18,
           -10**18, 2**62, -2**62, top - 1, top - 2, -top, 1 - top]
    return sorted({value for value in near + far if -top <= value < top}, key=lambda value: (abs(value), value))


def decimals(precision, scale):
    top = 10**precision - 1
    half = 5 * 10**(scale - 1) if scale else 5
    unit = 10**scale
    wanted = [0, 1, -1, 2, 4, 5, -5, 9, 10, half, -half, half - 1, half + 1, unit, -unit, unit + half, -unit - half, 2 * unit, 10 * unit,
              99 * unit, 2**31, 2**31 - 1, -2**31, 2**32, 2**53, 2**63 - 1, 2**63, -2**63, -2**63 - 1, 2**64 - 1, 2**64, 10**9, 10**18,
              10**18 - 1, 10**19, -10**18, 2**126, -2**126, top, -top, top - 1, 1 - top, top // 2, top // 10, -(top // 10), top // 3,
              top - half, half - top, 10**(precision - 1), -10**(precision - 1), 123456789 % (top + 1), 97]
    texts = []
    for value in dict.fromkeys(value for value in wanted if -top <= value <= top):
        digits = str(abs(value)).rjust(scale + 1, "0")
        texts.append(("-" if value < 0 else "") + (digits[:-scale] + "." + digits[-scale:] if scale else digits))
    return texts


BYTES = ["", "00", "20", "ff", "0000", "2020", "6120", "6100", "ffff", "8000", "7fff", "80000000", "7fffffff", "8000000000000000",
         "7fffffffffffffff", "ffffffffffffffff", "ff" * 63, "00" * 64, "c3", "c3a9", "eda080", "f4908080"]

FLOATS = ["0", "-0.0", "1", "-1", "0.5", "-0.5", "1.5", "2", "2.5", "3", "10", "-10", "0.1", "1e-7", "100", "1e15", "1e16", "123456.789",
          "-123456.789", "3.4028235e38", "-3.4028235e38", "1.1754944e-38", "1e-40", "1e-45", "32767.5", "32768", "-32768.5",
          "2147483647", "2147483647.5", "2147483648", "-2147483648", "-2147483649", "4294967296", "9007199254740993",
          "9223372036854774784", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223373136366403584",
          "18446744073709551616", "1e18", "1e19", "1e37", "NaN", "Infinity", "-Infinity"]
DOUBLES = ["1.7976931348623157e308", "-1.7976931348623157e308", "2.2250738585072014e-308", "1e-310", "4.9e-324", "-4.9e-324",
           "170141183460469231731687303715884105727", "-170141183460469231731687303715884105728", "1e38", "1e39", "-1e38", "1e300",
           "0.99999999999999989", "1.0000000000000002", "710", "-746", "1e22"]

DATES = ["4713-01-01 BC", "4713-12-31 BC", "0001-01-01 BC", "0001-12-31 BC", "0001-01-01", "0001-12-31", "0099-12-31", "0100-01-01",
         "0999-12-31", "1000-01-01", "1582-10-04", "1582-10-15", "1600-02-29", "1752-09-14", "1899-12-31", "1900-01-01", "1900-02-28",
         "1900-03-01", "1901-12-13", "1969-12-31", "1970-01-01", "1970-01-02", "1999-12-31", "2000-01-01", "2000-02-29", "2001-01-01",
         "2004-12-31", "2016-02-29", "2020-12-27", "2021-01-03", "2023-10-29", "2024-02-29", "2024-03-31", "2024-12-30", "2038-01-19",
         "2100-02-28", "9999-12-31", "10000-01-01", "99999-06-30", "200000-01-01", "294246-12-31", "294247-01-01", "294275-12-31",
         "294276-12-31"]
TIMES = ["00:00:00", "00:00:00.000001", "00:00:00.5", "00:00:59.999999", "00:01:00", "00:59:59", "01:00:00", "01:59:59.999999",
         "02:00:00", "02:30:00", "03:00:00", "11:59:59.999999", "12:00:00", "12:00:00.000001", "12:34:56", "12:34:56.789", "13:00:00",
         "22:59:59", "23:00:00", "23:59:00", "23:59:59", "23:59:59.999999", "24:00:00"]
ZONED = ["00:00:00+15:59", "00:00:00-15:59", "24:00:00+00", "24:00:00-15:59", "24:00:00+15:59", "23:59:59.999999-12", "00:00:00+14",
         "12:00:00+05:30", "12:00:00-03:30", "12:00:00+00:01", "12:00:00-00:01"]
INTERVALS = ["0", "1 microsecond", "-1 microsecond", "1 millisecond", "1 second", "-1 second", "59 seconds", "1 minute", "1 hour",
             "-1 hour", "23:59:59.999999", "24 hours", "25 hours", "1 day", "-1 day", "30 days", "31 days", "365 days", "366 days",
             "1 week", "1 month", "-1 month", "11 months", "12 months", "13 months", "1 year", "-1 year", "100 years", "1000 years",
             "7000 years", "290000 years", "-290000 years", "178956970 years 7 months", "-178956970 years -8 months",
             "2147483647 months", "-2147483648 months", "106751991 days", "-106751991 days", "106751990 days 23:59:59.999999",
             "1 month -1 day", "-1 month 1 day", "1 year 2 months 3 days 04:05:06.789", "2147483647 days", "-2147483648 days",
             "9223372036854 seconds", "-9223372036854 seconds", "153722867280 minutes", "2562047788 hours", "1 century", "1 millennium",
             "768614336404564650 years", "9223372036854775807 months", "-9223372036854775807 months"]

MONTHS = ["0", "1", "-1", "11", "12", "13", "-12", "-13", "1200", "2147483647", "2147483646", "-2147483648", "-2147483647", "178956970-7",
          "-178956970-8", "0-11", "1-2", "-1-2"]
MOMENTS = ["0", "0.000001", "-0.000001", "1", "-1", "59.999999", "60", "3600", "86399.999999", "86400", "-86400", "1 day", "-1 day",
           "30 days", "365 days", "1 day -1 second", "-1 day 1 second", "23:59:59.999999", "106751991 days", "-106751991 days",
           "53375995 days", "-53375995 days", "4611686018427 seconds", "-4611686018427 seconds"]

# What functions of strings look for; a position gets values of every kind.
TEXTS = {
    "plain": ["", " ", "a", "A", "b", "abc", "ABC", "Hello, World", "  padded  ", "0", "1", "x'y", "a\"b", "tab\there", "line\nbreak",
              "ab" * 6, "the quick brown fox", "null", "true", "f", "YES", "%", "_", "a%b_c", "\\", "\\\\", "\\%", "..", ",", "a,b,,c", "::",
              "\x01", "\x7f"],
    "multibyte": ["é", "ß", "İ", "ǆ", "漢字", "näïve 漢字", "😀", "e\u0301", "\u200b", "\ufeff", "é" * 6, "漢" * 4, "😀" * 3, "aé漢😀", "ŉ",
                  "ﬀ", "\U0010ffff", "\ud7ff", "x漢"],
    "number": ["-1", "+1", "00", "1.5", ".5", "5.", "-.5", "1e5", "1e-5", "1e400", "1e-400", "-1e400", "NaN", "Infinity", "-inf", "0x1F", "ff",
               "zz", "32767", "32768", "-32768", "-32769", "2147483647", "2147483648", "-2147483648", "-2147483649",
               "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "9" * 37, "9" * 38,
               "9" * 39, "-" + "9" * 38, "1" + "0" * 38, "170141183460469231731687303715884105727",
               "170141183460469231731687303715884105728", "-170141183460469231731687303715884105728", "0." + "9" * 38, "0." + "0" * 38 + "1",
               "1" + "0" * 60, "0" * 60 + "1", "99999999999999999999.999999999999999999", " 12 ", "1 2", "12a", "1,234.56", "$1,234.56",
               "<12>", "12-", "1e38", "1e39", "1e2147483648", "1e-9223372036854775809"],
    "date": ["2024-02-29", "2023-02-29", "2024-02-30", "2024-13-01", "2024-00-10", "2024-1-1", "20240229", "0000-01-01", "0001-01-01",
             "0001-01-01 BC", "4713-01-01 BC", "4714-01-01 BC", "294276-12-31", "294277-01-01", "99999999-01-01", "2147483648-01-01",
             "9223372036854775808-01-01", "Jan 1, 2020", "1-Jan-2020", "01/02/2020", "1/2/3", "infinity", "-infinity", "now", "today",
             "tomorrow", "epoch", "J2451545", "J99999999999", "2024-02-29 23:59:59.999999", "2024-02-29 24:00:00", "2024-02-29 24:00:01",
             "2024-02-29 23:59:60", "2024-06-30T12:00:00Z", "2024-03-31 02:30:00 Europe/Berlin", "2024-01-01 00:00:00+15:59",
             "2024-01-01 00:00:00+16", "294246-12-31 23:59:59.9999999", "4713-01-01 00:00:00 BC", "12:34:56", "23:59:59.9999999", "25:00:00",
             "-1:00:00", "12:34 PM", "13:00 PM", "12:34:56+05:30", "1 day", "1 year 2 mons -3 days 04:05:06.7", "P1Y2M3DT4H5M6S",
             "9223372036854775807 days", "-9223372036854775808 months", "1e300 years", "0.1 months", "monday", "sun", "THURSDAY"],
    "part": ["day", "DAY", "d", "month", "year", "quarter", "week", "dow", "dayofweek", "doy", "epoch", "century", "decade", "millennium",
             "hour", "minute", "second", "millisecond", "microsecond", "timezone", "timezone_hour", "timezone_minute", "isoyear", "julian",
             "yr", "mil", "us", "nonsense"],
    "format": ["YYYY-MM-DD", "YYYY-MM-DD HH24:MI:SS.US", "YYYY-MM-DD HH:MI:SS AM", "Y,YYY", "YYY YY Y", "IYYY-IW-ID", "CC", "J", "Q", "WW", "W",
               "DDD DD D", "DAY Day day", "DY Dy dy", "MONTH Month month", "MON Mon mon", "RM rm", "TZ tz OF", "SSSS SSSSS", "MS US", "FMDD FMMM",
               "DDth DDTH", "\"quoted\" YYYY", "\"open", "A.D. B.C. a.d.", "P.M. p.m.", "HH12 HH24", "999", "FM999", "000.00", "999,999,999",
               "9.9", "S999", "999S", "MI999", "999MI", "999PR", "PL99", "SG99", "L99", "99G999D99", "RN", "FMRN", "9EEEE", "9.99EEEE", "99V99", "V9",
               "9" * 38, "0" * 40 + "." + "9" * 40, "9" * 100, "B99", "TM", "TM9", "", "FM", "XXXX", "YYYY" * 60, "999999999999999999V999999999999999999"],
    "pattern": ["a", "[a-z]+", "(a)(b)?", "a|b|c", ".*", "^$", "$", "^", "a*?", "(a*)*", "(a+)+$", "[[:alpha:]]", "[^a]", "\\\\d", "\\d+", "\\w\\s",
                "a{2}", "a{0,1000}", "a{1001}", "a{99999999999}", "(", ")", "[", "]", "a{", "*", "+", "?", "\\", "(?=a)", "(?<n>x)", "\\1", "(a)\\1", "\\b",
                "[z-a]", "[é-漢]", "(" * 50 + "a" + ")" * 50, "(" * 1000, "a?" * 25 + "a" * 25, "(a|a)*b", "%", "_%", "%a_", "\\%", "(a|b)%", "x{0}",
                "$1", "$9", "\\0", "$", "i", "c", "p", "e", "ip", "zz"],
    "json": ["{}", "[]", "{\"a\":1}", "{\"a\":{\"b\":[1,2,3]}}", "[1,2,3]", "[[1],[2]]", "{\"a\":null}", "{\"a\":\"\\u00e9\"}", "{\"a\":\"\\ud83d\\ude00\"}",
             "{\"a\":\"\\ud83d\"}", "{\"a\":\"\\u12\"}", "{\"a\":1", "[1,", "{\"a\" 1}", "{a:1}", "null", "true", "1e999", "-", "\"s\"", "[" * 2000,
             "[" * 200 + "]" * 200, "{\"a\":" * 50 + "1" + "}" * 50, "{\"\":0}", "[1,\"x\",null,true,{}]", "  [ 1 , 2 ]  ", "[9223372036854775808]",
             "{\"a\":1,\"a\":2}", "[\"\\\\\",\"\\\"\"]", "{\"漢\":\"字\"}"],
    "zone": ["UTC", "GMT", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Kiritimati", "Pacific/Apia", "EST", "PST8PDT", "+15:59",
             "-15:59", "+16:00", "+99:99", "UTC+3", "<X>-5", "<X>99999999999", "No/Where", "../etc/passwd", "/etc/localtime", "Europe/berlin",
             "EST5EDT,M3.2.0,M11.1.0", "A0B,J1,J365", "A0B,M13.9.9/999,0", "5.5", "-5", "99999999999999999999", "Antarctica/Troll"],
    "array": ["{1,2,3}", "{}", "{a,\"b,c\"}", "1 2 3", "{{1},{2}}", "{", "}", "{\"", "{NULL}", "{,}"],
    "name": ["public", "pg_catalog", "dev", "bv", "public.bv", "pg_class", "select", "insert", "usage", "create", "member", "references",
             "select with grant option", "public.\"x", "a.b.c.d", "bv.k", "k", "1259", "100", "-9223372036854775808", "9223372036854775807",
             "integer", "varchar(10)", "numeric(38,38)", "numeric(99999999999,2)", "int4[]", "rdsdb", "query", "copy", "rows", "search_path",
             "statement_timeout", "UTF8", "latin1", "pg_namespace", "%s", "%I %L", "%5$s", "%"],
}
LONG = ["repeat('a', 65535)", "repeat('漢', 21845)", "repeat('é', 32767)||'x'", "'x'||repeat('😀', 16383)", "repeat(' ', 65535)",
        "repeat('9', 65535)", "repeat('[', 65535)", "repeat('a,', 32767)", "repeat('{\"a\":', 10922)", "repeat('(', 300)", "repeat('0', 4096)",
        "repeat('x', 256)", "repeat('x', 257)", "repeat('é', 128)", "repeat('ab', 127)||'é'"]

# Kinds of text that calls with such a name ask for, by position; every position gets all the others too.
HINTS = [
    ("privilege", ["name", "name", "name", "name"]), ("has_", ["name"] * 4), ("date_part", ["part"]), ("date_trunc", ["part"]),
    ("dateadd", ["part"]), ("date_add", ["part"]), ("datediff", ["part"]), ("date_diff", ["part"]), ("extract", ["part"]),
    ("to_char", ["format", "format"]), ("to_date", ["date", "format"]), ("to_timestamp", ["date", "format"]),
    ("to_number", ["number", "format"]), ("json", ["json", "name"]), ("regexp", ["plain", "pattern", "plain", "pattern", "pattern", "pattern"]),
    ("timezone", ["zone", "zone"]), ("next_day", ["plain", "date"]), ("strtol", ["number"]), ("array", ["array", "array"]),
    ("reg", ["name"]), ("pg_", ["name", "name"]), ("format", ["name"]), ("setting", ["name"]), ("like", ["plain", "pattern", "plain"]),
    ("similar", ["plain", "pattern", "plain"]), ("~", ["plain", "pattern"]), ("description", ["name", "name"]), ("relation", ["name"]),
    ("member", ["name", "name"]),
]


def texts(kinds=None):
    return [quoted(text) for kind in (kinds or TEXTS) for text in TEXTS[kind]]


def literals(variant):
    """All values of a type, as expressions of this very type; the first is NULL."""
    family = FAMILY[variant]
    if family == "boolean":
        plain = ["true", "false"]
    elif family in ("smallint", "integer", "bigint"):
        plain = [f"'{value}'" for value in integers({"smallint": 16, "integer": 32, "bigint": 64}[family])]
    elif family == "numeric":
        precision, scale = (int(part) for part in variant[8:-1].split(","))
        plain = [f"'{text}'" for text in decimals(precision, scale)]
    elif family in ("real", "double precision"):
        plain = [f"'{text}'" for text in FLOATS + (DOUBLES if family == "double precision" else [])]
    elif family == "date":
        plain = [f"'{text}'" for text in DATES]
    elif family == "time without time zone":
        plain = [f"'{text}'" for text in TIMES + more_times(MINIMUM)]
    elif family == "time with time zone":
        plain = [f"'{text}'" for text in ZONED + [f"{time}{zone}" for time in TIMES for zone in ("+00", "-08")]]
    elif family.startswith("timestamp"):
        zone = "+00" if family == "timestamp with time zone" else ""
        plain = [f"'{moment(date, TIMES[index % 22], zone)}'" for index, date in enumerate(DATES)]
        plain += [f"'{moment(date, time, zone)}'" for date in ("294246-12-31", "4713-01-01 BC", "1969-12-31", "1999-12-31")
                  for time in ("00:00:00", "23:59:59.999999")]
    elif family == "interval":
        plain = [f"'{text}'" for text in INTERVALS]
    elif family == "interval year to month":
        plain = [f"'{text}'" if "-" in text[1:] else f"'{text} months'" for text in MONTHS]
    elif family == "interval day to second":
        plain = [f"'{text}'" if not text[-1].isdigit() or ":" in text else f"'{text} seconds'" for text in MOMENTS]
    elif family == "binary varying":
        plain = [f"from_hex('{text}')" for text in BYTES] + texts()[:30]
    elif family == "super":
        plain = [f"json_parse({quoted(text)})" for text in DOCUMENTS]
    elif family == "hllsketch":
        plain = [quoted(text) for text in sketches(MINIMUM)]
    else:
        plain = texts() + (LONG if variant == "varchar(65535)" else [])
    return [f"null::{variant}"] + [f"{text}::{variant}" for text in plain]


def small(variant):
    """Few values near each other, so that columns get dictionaries and narrow codes."""
    family = FAMILY[variant]
    if family == "boolean":
        plain = ["true", "false"]
    elif family in ("smallint", "integer", "bigint", "real", "double precision"):
        plain = [f"'{value}'" for value in range(-2, 6)]
    elif family == "numeric":
        precision, scale = (int(part) for part in variant[8:-1].split(","))
        plain = [f"'{text}'" for text in ((f"0.{value:0{scale}d}" if scale else str(value)) for value in range(5))]
        plain.append(f"'-{'0.' + '0' * (scale - 1) + '3' if scale else '3'}'")
    elif family == "date":
        plain = [f"'2024-02-{day}'" for day in range(26, 30)]
    elif family.startswith("timestamp"):
        plain = [f"'2024-02-{day} 12:00:0{day - 26}'" for day in range(26, 30)]
    elif family.startswith("time"):
        plain = [f"'12:00:0{second}'" for second in range(4)]
    elif family == "interval":
        plain = ["'1 day'", "'2 days'", "'1 month'", "'-1 hour'"]
    elif family == "interval year to month":
        plain = [f"'{value} months'" for value in range(-2, 4)]
    elif family == "interval day to second":
        plain = [f"'{value} hours'" for value in range(-2, 4)]
    elif family == "binary varying":
        plain = ["''", "'a'", "'a '", "from_hex('6100')", "from_hex('ff')"]
    elif family == "super":
        plain = [f"json_parse('{text}')" for text in ("1", "1.0", '"1"', "[1]", '{"a":1}', "null")]
    elif family == "hllsketch":
        plain = [quoted(text) for text in sketches(5)]
    else:
        plain = ["'a'", "'b'", "''", "'ab'", "'1'", "'é'"]
    return [f"null::{variant}"] + [f"{text}::{variant}" for text in plain]


def moment(date, time, zone):
    day, era = (date[:-3], " BC") if date.endswith(" BC") else (date, "")
    return f"{day} {time}{zone}{era}"


def sketches(count):
    """Sparse ones of no register to thousands, with the lowest and highest places and values."""
    rng = random.Random(0)
    for number in range(count):
        indices = sorted({0, 32767, *rng.sample(range(32768), number * number)} if number else [])
        yield json.dumps({"logm": 15, "sparse": {"indices": indices, "values": [rng.randint(1, 50) for _ in indices]}})


def more_times(count):
    rng = random.Random(0)
    return [f"{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.randrange(60):02}.{rng.randrange(10**6):06}" for _ in range(count)]
