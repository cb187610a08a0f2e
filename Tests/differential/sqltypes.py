"""SQL types as the generator knows them: their names in each dialect and Redshift's rules for results."""
from dataclasses import dataclass

REDBARN, POSTGRES, DUCKDB = "R", "P", "D"

INTEGER_KINDS = ("smallint", "integer", "bigint")
CATEGORIES = {
    "smallint": "int", "integer": "int", "bigint": "int", "decimal": "dec", "real": "float", "double": "float",
    "boolean": "bool", "char": "char", "varchar": "text", "date": "date", "time": "time", "timetz": "timetz",
    "timestamp": "timestamp", "timestamptz": "timestamptz", "interval": "interval",
}
# How results are compared; "inexact" are floating point results that depend on the order of additions or on the library.
NAMES = {"double": "double precision"}


@dataclass(frozen=True)
class Type:
    kind: str
    precision: int = 0
    scale: int = 0
    inexact: bool = False

    @property
    def category(self):
        return CATEGORIES[self.kind]

    def name(self, dialect):
        if self.kind == "decimal":
            return f"decimal({self.precision},{self.scale})"
        if self.kind in ("char", "varchar"):
            return f"{self.kind}({self.precision})" if dialect == REDBARN else "text"
        return NAMES.get(self.kind, self.kind)


SMALLINT, INTEGER, BIGINT = Type("smallint"), Type("integer"), Type("bigint")
REAL, DOUBLE, INEXACT = Type("real"), Type("double"), Type("double", inexact=True)
BOOLEAN, DATE, TIME, TIMETZ = Type("boolean"), Type("date"), Type("time"), Type("timetz")
TIMESTAMP, TIMESTAMPTZ, INTERVAL = Type("timestamp"), Type("timestamptz"), Type("interval")
TEXT = Type("varchar", 256)


def decimal(precision, scale):
    return Type("decimal", precision, scale)


# A type for a category where only the category is wanted.
DEFAULTS = {
    "int": INTEGER, "dec": decimal(12, 2), "float": DOUBLE, "bool": BOOLEAN, "char": Type("char", 8), "text": TEXT,
    "date": DATE, "time": TIME, "timetz": TIMETZ, "timestamp": TIMESTAMP, "timestamptz": TIMESTAMPTZ, "interval": INTERVAL,
}

INTEGER_DIGITS = {"smallint": 5, "integer": 10, "bigint": 19}


def as_decimal(type):
    return decimal(INTEGER_DIGITS[type.kind], 0) if type.category == "int" else type


def widest(types):
    """The common type of CASE, COALESCE and set operations, for types of one category."""
    first = types[0]
    if first.category == "int":
        return max(types, key=lambda type: INTEGER_KINDS.index(type.kind))
    if first.category == "dec":
        scale = max(type.scale for type in types)
        whole = max(type.precision - type.scale for type in types)
        limit = 38 if max(type.precision for type in types) > 19 else 19
        return decimal(min(limit, whole + scale), scale)
    if first.category == "float":
        is_inexact = any(type.inexact for type in types)
        return INEXACT if is_inexact else max(types, key=lambda type: type.kind == "double")
    return first


def arithmetic(operator, left, right):
    """The result of + - * / % on numbers."""
    if "float" in (left.category, right.category):
        return INEXACT if left.inexact or right.inexact else DOUBLE
    if left.category == "int" and right.category == "int":
        return max(left, right, key=lambda type: INTEGER_KINDS.index(type.kind))
    left, right = as_decimal(left), as_decimal(right)
    if operator in "+-%":
        scale = max(left.scale, right.scale)
        return capped(max(left.precision - left.scale, right.precision - right.scale) + 1 + scale, scale)
    if operator == "*":
        return capped(left.precision + right.precision + 1, left.scale + right.scale)
    scale = max(4, left.scale + right.precision - right.scale + 1)
    precision = left.precision - left.scale + right.scale + scale
    if precision > 38:
        scale = max(38 + scale - precision, 4)
        precision = 38
    return decimal(precision, scale)


def capped(precision, scale):
    return decimal(min(38, precision), min(37, scale))


def total(type):
    """SUM and AVG."""
    if type.category == "int":
        return BIGINT
    if type.category == "dec":
        return decimal(38, type.scale)
    return INEXACT
