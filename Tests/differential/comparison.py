"""Whether two answers are the same: multisets of rows (lists under ORDER BY), exact but for floating point numbers."""
import math
from collections import Counter


def normal(type):
    """A function that gives values of a type one form, whoever wrote them."""
    category = type.category
    if category == "dec":
        return decimal_form
    if category == "float":
        return float
    if category in ("text", "char"):
        return lambda value: value.rstrip(b" ")
    if category == "int":
        return lambda value: value.removesuffix(b".0")
    if category == "bool":
        return lambda value: value[:1]
    if category in ("date", "time", "timetz", "timestamp", "timestamptz"):
        return lambda value: value.replace(b"(BC)", b"BC")
    return lambda value: value


def decimal_form(value):
    if b"." in value:
        value = value.rstrip(b"0").rstrip(b".")
    if value.startswith((b".", b"-.")):
        value = value.replace(b".", b"0.", 1)
    return b"0" if value in (b"-0", b"", b"-") else value


def tolerance(type):
    if type.category != "float":
        return None
    return 1e-5 if type.kind == "real" else 1e-9


def rank(value):
    return (1, b"") if value is None else (0, value)


def float_rank(value):
    return (2, 0.0) if value is None else (1, 0.0) if math.isnan(value) else (0, value)


def close(left, right, relative):
    if left is None or right is None:
        return left is right
    if math.isnan(left) or math.isnan(right):
        return math.isnan(left) and math.isnan(right)
    return left == right or abs(left - right) <= relative * max(abs(left), abs(right), 1e-3)


def same_rows(types, left, right, is_ordered):
    if len(left) != len(right):
        return False
    if left == right or not is_ordered and Counter(left) == Counter(right):
        return True
    left, right = normalized(types, left), normalized(types, right)
    if left == right:
        return True
    floats = [index for index, type in enumerate(types) if type.category == "float"]
    if not is_ordered:
        exact = [index for index in range(len(types)) if index not in floats]

        def key(row):
            return [rank(row[index]) for index in exact] + [float_rank(row[index]) for index in floats]
        left, right = sorted(left, key=key), sorted(right, key=key)
    tolerances = [tolerance(type) for type in types]
    return all(
        close(one, other, relative) if relative else one == other
        for row, partner in zip(left, right) for one, other, relative in zip(row, partner, tolerances))


def normalized(types, rows):
    forms = [normal(type) for type in types]
    return [tuple([None if value is None else form(value) for value, form in zip(row, forms)]) for row in rows]
