#!/usr/bin/env python3
"""Writes json_corpus.slt: texts of the classes that published JSON test suites have, well formed and malformed, with what
Python's json module says of them (made as strict as RFC 8259: no NaN, no number beyond double, no half surrogate pair).

Texts stand in SQL literals, in which ~ is a backslash, ^ a line end, ` a tab and @ the control character 1.
"""
import itertools
import json
import math
import os

MARKS = {"~": "\\", "^": "\n", "`": "\t", "@": "\x01"}


def constant(_):
    raise ValueError("constant")


def number(text):
    value = float(text)
    if math.isinf(value):
        raise ValueError("beyond double")
    return value


def integer(text):
    number(text)
    return int(text)


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for element in value:
            yield from strings(element)
    elif isinstance(value, dict):
        for name, element in value.items():
            yield name
            yield from strings(element)


def depth(text):
    return max(itertools.accumulate((character in "[{") - (character in "]}") for character in text), default=0)


def is_json(text):
    for mark, character in MARKS.items():
        text = text.replace(mark, character)
    if any(character in text for character in "\f\v\u00a0\ufeff\u2028") and text.strip(" \t\r\n") != text.strip():
        return False
    if depth(text) > 512:
        return False
    try:
        value = json.loads(text, parse_constant=constant, parse_float=number, parse_int=integer)
        for string in strings(value):
            string.encode("utf-8")
            if "\0" in string:
                return False
        return True
    except (ValueError, UnicodeEncodeError, RecursionError):
        return False


def texts():
    numbers = ["0", "-0", "1", "-1", "10", "01", "-01", "00", "1.0", "1.", ".1", "-.1", "-", "+1", "1e1", "1E1", "1e+1", "1e-1", "1e",
               "1e+", "1e-", "1.e1", "1.0e1", "1.5E-3", "0e1", "0.0e0", "1ee1", "1e1.5", "0x1", "1_000", "1,000", "Infinity", "-Infinity",
               "NaN", "nan", "inf", "1e308", "1e309", "-1e400", "1e-400", "9223372036854775807", "9223372036854775808",
               "-9223372036854775808", "-9223372036854775809", "99999999999999999999999999999999999999",
               "999999999999999999999999999999999999999", "1" * 60, "0." + "1" * 60, "1" * 400, "1.2.3", "--1", "1-", "1+1", "1a", "0b1", "0o7",
               "１", "1 2", "- 1", "1.-1", "0.1e0x"]
    words = ["true", "false", "null", "True", "FALSE", "Null", "tru", "truee", "nul", "nulll", "fals", "t", "n", "f", "undefined", "none",
             "nil", "true false", "nulltrue", "tRue", "\"true", "a", "*", "'a'", "`", "^", "", " ", "@", "~n"]
    quoted = ['""', '"a"', '"', '"a', 'a"', '"""', '"a""b"', '"a" "b"', "''", "'a'", '"~""', '"~~"', '"~"', '"~/"', '"~b~f~n~r~t"', '"~a"',
              '"~x41"', '"~0"', '"~U0041"', '"~u0041"', '"~u004"', '"~u00"', '"~u"', '"~u00g1"', '"~u 041"', '"~u-041"', '"~ud83d~ude00"',
              '"~ud83d"', '"~ude00"', '"~ud83d~u0041"', '"~ud83dx"', '"~ude00~ud83d"', '"~uD83D~uDE00"', '"~ud83d~ud83d"', '"~u0000"',
              '"a~u0000b"', '"~u001f"', '"^"', '"`"', '"@"', '"a^b"', '"~^"', '"é"', '"日本"', '"😀"', '"~u00e9"', '"a~', '"~u0041', '"/"', '"~~~"',
              '"~~~~"', '"{"', '"[1"', '","', '"a":1', '"a",', '"~N"', '"~ "', '"~1"', '"~.', '"$"', '"%"', '"' + "x" * 500 + '"']
    arrays = ["[]", "[ ]", "[", "]", "[[", "[]]", "[[]]", "[,]", "[1,]", "[,1]", "[1,,2]", "[1 2]", "[1,2", "1,2]", "[1,2]", "[ 1 , 2 ]", "[1;2]",
              "[1,2}", "[1,[2,[3,[4]]]]", "[null,true,false,1,\"a\",{},[]]", "[1]x", "x[1]", "[1]]", "[[1]", "[\"a\",\"b\"]", "[\"a\" \"b\"]", "['a']", "[a]",
              "[-]", "[1e]", "[+1]", "[01]", "[1.]", "[.5]", "[NaN]", "[tru]", "[//a]", "[/*a*/1]", "[#a^1]", "[1,^2]", "[1`,2]", "[...]", "[1:2]", "[\"a\":1]",
              "[]{}", "[][]", "[],", ",[]", "(1)", "<1>", "[*]", "[1,null,,]", "[\"\", ]", "[[[[[[[[[[]]]]]]]]]]", "[" + "1," * 200 + "1]"]
    objects = ["{}", "{ }", "{", "}", "{{}}", "{}}", "{a:1}", "{'a':1}", '{"a"}', '{"a":}', '{"a":1', '{"a":1}', '{"a":1,}', '{,"a":1}', '{"a":1,,"b":2}',
               '{"a":1 "b":2}', '{"a":1,"b":2}', '{ "a" : 1 , "b" : 2 }', '{"a" 1}', '{"a"::1}', '{"a":1:2}', '{"a"=1}', '{1:1}', '{null:1}', '{true:1}',
               '{"a":1,"a":2}', '{"":0}', '{"":{"":{}}}', '{"a":{"b":{"c":[1,{"d":null}]}}}', '{"a":[}', '{"a":]}', '{"a":1]', '["a":1}', '{[1]:2}',
               '{"a":"b}', '{"a:"b"}', '{"a~u0041":1}', '{"~ud800":1}', '{"a^":1}', '{"a":^1}', '{"a":1}^', '^{"a":1}', '{"a":1} x', '{"a":1}{"b":2}',
               '{"a":1},{"b":2}', '{"a":1};', '{"a":undefined}', '{"a":NaN}', '{"a":-}', '{"a":+1}', '{"a":01}', '{"a":1.}', "{\"a\":'b'}", '{"a":/*x*/1}',
               '{"a":1/*x*/}', '{//x^"a":1}', '{"a":1#x^}', '{"é":1}', '{"日":"本"}', '{"a":true,"b":false,"c":null}', '{"a" :[ ] , "b":{ } }', '{:1}', '{"a",1}',
               '{"a":1,"b"}', '{"a":1,"b":}', '{"a":1,b:2}', '{"a":(1)}', '{"a":[1,2}', '{"a":{"b":1}', '{"' + "k" * 300 + '":1}']
    blanks = [" 1", "1 ", "`1`", "^1^", "^", "  ", " [ ] ", "1`^ ", "@1", "1@", "[1@]", "{@}", "\u00a01", "1\u00a0", "\ufeff1", "\u20281"]
    deep = ["[" * n + "]" * n for n in (1, 2, 10, 100, 511, 512, 513, 600)] + ['{"a":' * n + "1" + "}" * n for n in (1, 10, 100, 512, 513)]
    deep += ["[" * 1000, "[" * 600 + "]" * 599, '{"a":' * 300, "[{" * 50 + "}]" * 50, '[{"a":' * 50 + "1" + "}]" * 50, "]" * 100]
    good = '{"a": [1, -2.5e3, "x~n~u00e9"], "b": {"c": null, "d": [true, false]}}'
    cut = [good[:end] for end in range(1, len(good))]
    doubled = [good[:place] + good[place] + good[place:] for place in range(0, len(good), 3)]
    dropped = [good[:place] + good[place + 1:] for place in range(0, len(good), 2)]
    return {"numbers": numbers, "words": words, "strings": quoted, "arrays": arrays, "objects": objects, "blanks": blanks, "depth": deep,
            "cut short": cut, "a byte twice": doubled, "a byte less": dropped}


def literal(text):
    return "'" + text.replace("'", "''") + "'"


def main():
    unescaped = "replace(replace(replace(replace(j, '~', chr(92)), '^', chr(10)), '`', chr(9)), '@', chr(1))"
    lines = ["# Made by make_json_corpus.py: do not edit.", "",
             "statement ok", "create table json_corpus (id int, class varchar(20), j varchar(8192), good boolean)", ""]
    total = 0
    for name, group in texts().items():
        group = list(dict.fromkeys(group))
        for start in range(0, len(group), 40):
            rows = []
            for text in group[start:start + 40]:
                total += 1
                rows.append("(%d, '%s', %s, %s)" % (total, name, literal(text), "true" if is_json(text) else "false"))
            lines += ["statement ok", "insert into json_corpus values " + ", ".join(rows), ""]
    lines += ["statement ok", f"update json_corpus set j = {unescaped}", "",
              "query I", "select count(*) from json_corpus", "----", str(total), "",
              "# Texts on which the parser and Python disagree: none.", "query ITT",
              "select id, class, left(j, 40) from json_corpus where can_json_parse(j) <> good order by id", "----", "",
              "statement ok", "set parse_super_null_on_error to on", "",
              "query ITT", "select id, class, left(j, 40) from json_corpus where (json_parse(j) is not null) <> good order by id", "----", "",
              "# What is well formed is shown as a text that means the same.", "query IT",
              "select id, json_serialize(json_parse(j)) from json_corpus where good and json_parse(json_serialize(json_parse(j))) <> json_parse(j)",
              "----", "", "statement ok", "reset parse_super_null_on_error", "",
              "statement error 22P02: JSON parsing error.*", "select json_parse(j) from json_corpus where not good and class = 'numbers'", ""]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "json_corpus.slt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    print(total, "texts,", sum(is_json(text) for group in texts().values() for text in dict.fromkeys(group)), "well formed")


if __name__ == "__main__":
    main()
