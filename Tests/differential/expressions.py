"""Random typed expressions over the columns in scope."""
from decimal import Decimal

import text_forms
from forms import AGGREGATES, INEXACT_FORMS, PERCENTILES, SCALARS, Constant
from sqltypes import BIGINT, DEFAULTS, DOUBLE, INTEGER, TEXT, decimal
from trees import Call, Column, Literal

RTRIM = text_forms.RTRIM
TO_DOUBLE = next(form for form in SCALARS["float"] if form.name == "to-double")
WEIGHTED = {category: (forms, [form.weight for form in forms]) for category, forms in SCALARS.items()}
# BOOLEAN has one form for each pair of operator and category; pick the category of the operands evenly.
CHANCES = ["int"] * 6 + ["dec"] * 4 + ["float"] * 2 + ["bool"] * 3 + ["text"] * 5 + ["date"] * 3
CHANCES += ["time", "timestamp", "timestamp", "timestamptz"]
VALUES = {
    "int": [0, 1, -1, 2, 3, 5, 10, 100, 12345, -7],
    "dec": [Decimal(text) for text in ("0.00", "1.5", "-2.25", "10", "0.01", "99999.99")],
    "float": [0.0, 0.25, -1.5, 100.0], "bool": [True, False], "text": ["", "a", "ab", "b ", "k1", "x y", "common prefix of 00007"],
    "char": ["a", "ab"], "date": ["2000-01-01", "2001-02-03", "1999-12-31"], "time": ["00:00:00", "12:00:00"],
    "timetz": ["12:00:00+00"], "timestamp": ["2000-01-01 00:00:00", "2001-02-03 04:05:06"],
    "timestamptz": ["2000-01-01 00:00:00+00"], "interval": ["1 day", "-1 day", "00:00:00", "-2 days -01:30:00", "1000 days", "-00:00:01"],
}


class Scope:
    """Leaves that expressions are made of (columns, or group keys and aggregates), and those of the query around."""

    def __init__(self, leaves, rows=1, outer=None, keys=None, peak=0):
        self.leaves, self.rows, self.outer, self.keys = leaves, rows, outer, keys
        # Conditions may be asked of a table before its joins make it small.
        self.peak = max(peak, rows)
        self.by_category = {}
        for leaf in leaves:
            if not leaf.type.inexact:
                self.by_category.setdefault(leaf.type.category, []).append(leaf)

    def inner(self):
        return Scope(self.leaves, self.rows, None, self.keys, self.peak)

    def plus(self, other):
        return Scope(self.leaves + other.leaves, max(self.rows, other.rows), self.outer, None, max(self.peak, other.peak))


def cleaned(node):
    """Without trailing blanks, so that every representative of a group is the same."""
    return node if node.type.category != "text" or node.clean else Call(RTRIM, [node], TEXT)


def is_constant(node):
    return not any(isinstance(part, Column) for part in node.walk())


def has_special(node):
    return any(isinstance(part, Column) and part.fact and part.fact.special for part in node.walk())


class Expressions:
    """`subquery(scope, depth)` makes a condition with a subquery, or nothing."""

    def __init__(self, rng, subquery=None, scalar=None):
        self.rng, self.subquery, self.scalar = rng, subquery, scalar

    def leaf(self, scope, category):
        rng = self.rng
        found = scope.by_category.get(category)
        if scope.outer and rng.random() < (0.15 if found else 0.5):
            found = scope.outer.by_category.get(category) or found
        return rng.choice(found) if found else None

    def literal(self, scope, category):
        """Often a value of the data."""
        rng = self.rng
        if rng.random() < 0.06 and category not in ("char", "timetz"):
            return Literal(None, DEFAULTS[category])
        facts = [leaf.fact for leaf in scope.by_category.get(category, []) if isinstance(leaf, Column) and leaf.fact and leaf.fact.samples]
        if facts and rng.random() < 0.75:
            fact = rng.choice(facts)
            return typed_literal(rng.choice(fact.samples), category)
        return typed_literal(rng.choice(VALUES[category]), category)

    def expression(self, scope, category, depth):
        rng = self.rng
        leaf = self.leaf(scope, category)
        if leaf is not None and (depth <= 0 or rng.random() < 0.45):
            return widened(leaf)
        if category in ("char", "timetz") or depth <= 0 and rng.random() < 0.9 or rng.random() < 0.15:
            return self.literal(scope, category)
        if category == "bool":
            return self.condition(scope, depth)
        if self.scalar and rng.random() < 0.03:
            made = self.scalar(scope, category, depth)
            if made is not None:
                return made
        forms, weights = WEIGHTED[category]
        return self.call(scope, rng.choices(forms, weights)[0], depth - 1)

    def call(self, scope, form, depth):
        arguments = []
        for spec in form.arguments:
            if isinstance(spec, Constant):
                value = self.rng.choice(spec.values)
                arguments.append(Literal(value, spec.type, bare=spec.type.category == "dec"))
            else:
                arguments.append(self.expression(scope, spec, depth))
        # A call of constants only says little: bring a column in.
        for index, spec in enumerate(form.arguments):
            if not isinstance(spec, Constant) and isinstance(arguments[index], Literal) and index == 0:
                leaf = self.leaf(scope, spec)
                if leaf is not None:
                    arguments[index] = widened(leaf)
        return Call(form, arguments, form.type([argument.type for argument in arguments]))

    def condition(self, scope, depth):
        rng = self.rng
        if depth > 0 and self.subquery and rng.random() < 0.12:
            made = self.subquery(scope, depth)
            if made is not None:
                return made
        forms, weights = WEIGHTED["bool"]
        if depth <= 0 or rng.random() < 0.7:
            category = rng.choice([c for c in CHANCES if c in scope.by_category] or CHANCES)
            for _ in range(12):
                form = rng.choices(forms, weights)[0]
                if form.arguments[0] == category:
                    break
        else:
            form = rng.choices(forms, weights)[0]
        return self.call(scope, form, depth - 1)

    def inexact(self, scope, depth):
        for _ in range(3):
            made = self.call(scope, self.rng.choice(INEXACT_FORMS), depth)
            if not has_special(made):
                return made
        return None

    def aggregate(self, scope, depth, may_be_inexact):
        for _ in range(20):
            form = self.rng.choices(AGGREGATES, [form.weight for form in AGGREGATES])[0]
            made = self.aggregate_call(scope, form, depth)
            if made is not None and (may_be_inexact or not made.type.inexact):
                return made
        return self.aggregate_call(scope, AGGREGATES[0], depth)

    def aggregate_call(self, scope, form, depth):
        """None when the form does not fit what is there."""
        for spec in form.arguments:
            if not isinstance(spec, Constant) and spec not in scope.by_category and spec != "bool":
                return None
        made = self.call(scope, form, depth if self.rng.random() < 0.5 else 0)
        if form.arguments and is_constant(made):
            return None
        if form.name == "listagg":
            made.arguments[0] = cleaned(made.arguments[0])
        is_total = form.name in ("sum", "avg", "deviation", "percentile", "median")
        if form.arguments and form.arguments[0] == "float" and is_total and has_special(made):
            return None
        return made

    def percentile(self, scope):
        return self.aggregate_call(scope, self.rng.choice(PERCENTILES), 0)


def widened(leaf):
    """REAL has no arithmetic that all systems share."""
    return Call(TO_DOUBLE_REAL, [leaf], DOUBLE) if leaf.type.kind == "real" else leaf


def typed_literal(value, category):
    if category == "int":
        return Literal(value, INTEGER if abs(value) < 2**31 else BIGINT)
    if category == "dec":
        digits = value.as_tuple()
        scale = max(0, -digits.exponent)
        return Literal(value, decimal(max(len(digits.digits) + max(0, digits.exponent), scale, 1), scale))
    return Literal(value, DEFAULTS[category])


class RealForm:
    name, clean, arguments = "real-to-double", True, ["float"]

    @staticmethod
    def template(dialect):
        return "({0})::double precision"

    @staticmethod
    def type(types):
        return DOUBLE


TO_DOUBLE_REAL = RealForm()
