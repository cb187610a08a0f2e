"""What tells a wrong answer: another system, another world, or another way to ask Redbarn the same."""
import re

from comparison import same_rows
from expressions import cleaned
from sqltypes import BIGINT, BOOLEAN
from text_forms import BOOLEAN_FORMS
from forms import Form
from trees import Call, Column, Derived, Item, Join, Select, SetOperation

# Errors that say that this data cannot be computed so, or that Redshift has not got the feature: others are asked nothing then.
DATA_ERRORS = ("22", "0A", "21")
MEMORY_ERRORS = ("53200", "53100")

NOT = next(form for form in BOOLEAN_FORMS if form.name == "not")
IS_NULL = Form("is-null", ["bool"], BOOLEAN, "({0} is null)")
COUNT = Form("count-star", [], BIGINT, "count(*)")
SUM_OF_TRUE = Form("sum-true", ["bool"], BIGINT, "coalesce(sum(case when {0} then 1 else 0 end), 0)")
COMBINED = {"count-star": "coalesce(sum({0}), 0)", "count": "coalesce(sum({0}), 0)", "sum": "sum({0})", "min": "min({0})",
            "max": "max({0})", "bool-and": "bool_and({0})", "bool-or": "bool_or({0})", "bit-and": "bit_and({0})", "bit-or": "bit_or({0})"}


class Finding:
    def __init__(self, check, trees, kind, message, left=None, right=None):
        self.check, self.trees, self.kind, self.message, self.left, self.right = check, trees, kind, message, left, right

    def signature(self):
        """What makes two findings the same: kind and error, else the operations in the shrunken query."""
        if self.kind == "death":
            frames = [line.strip() for line in self.message.split("\n") if " in redbarn" in line]
            return f"death: {anonymous(' '.join(frames[:2]) or self.message)}"
        if self.kind != "rows":
            return f"{self.kind}: {anonymous(self.message)}"
        names = set()
        for tree in self.trees:
            for node in tree.walk():
                names.add(type(node).__name__)
                names.add(getattr(getattr(node, "form", None), "name", ""))
                names.add(getattr(node, "kind", "") if isinstance(node, Join) else "")
        return "rows: " + " ".join(sorted(names - {"", "Select", "Item", "Column", "Call", "Literal", "TableReference"}))


def anonymous(message):
    line = message.split("\n")[0]
    return re.sub(r'"[^"]*"|\d+', "#", line)[:160]


class Check:
    """`sides` gives (engine, settings, query) twice; the first one is Redbarn as it is."""
    name = ""

    def difference(self, trees, known=None):
        """A finding, None when both agree, "skipped" when one of them cannot say."""
        one, other = self.sides(trees)
        left = known or run(one)
        finding = self.failure(trees, left, one)
        if finding is not None:
            return finding
        right = run(other)
        if other[0].dialect == "R":
            finding = self.failure(trees, right, other)
            if finding is not None:
                return finding
        if right.state:
            return "skipped"
        if left.state:
            if left.state[:2] in DATA_ERRORS or other[0].dialect == "R" or left.state in MEMORY_ERRORS:
                return "skipped"
            return Finding(self, trees, "refused", left.message, left, right)
        if same_rows(one[2].types(), left.rows, right.rows, one[2].is_ordered):
            return None
        return Finding(self, trees, "rows", "", left, right)

    def failure(self, trees, answer, side):
        if answer.state == "LOST":
            return Finding(self, trees, "death", answer.message, answer)
        if answer.state and (answer.state[:2] == "XX" or answer.state == "57014"):
            return Finding(self, trees, "error " + answer.state, answer.message, answer)
        return None


def run(side):
    engine, settings, query = side
    text = query.text(engine.dialect)
    return engine.run(text, settings) if engine.dialect == "R" else engine.run(text)


class ReferenceCheck(Check):
    def __init__(self, redbarn, engine):
        self.redbarn, self.engine, self.name = redbarn, engine, {"P": "PostgreSQL", "D": "DuckDB"}[engine.dialect]

    def sides(self, trees):
        return (self.redbarn, (), trees[0]), (self.engine, (), trees[0])


class WorldCheck(Check):
    def __init__(self, redbarn, other, settings):
        self.redbarn, self.other, self.settings = redbarn, other, settings
        self.name = f"world {other.describe()} {'; '.join(settings)}"

    def sides(self, trees):
        return (self.redbarn, (), trees[0]), (self.other, self.settings, trees[0])


class RewriteCheck(Check):
    """Trees are a SELECT and a condition; both ways must give the same."""

    def __init__(self, redbarn, rewrite):
        self.redbarn, self.rewrite, self.name = redbarn, rewrite, rewrite.__name__

    def sides(self, trees):
        one, other = self.rewrite(*trees)
        return (self.redbarn, (), one), (self.redbarn, (), other)


# MARK: Rewrites

def plain(select, **changes):
    return select.copy(is_ordered=False, limit=None, offset=None, **changes)


def thirds(condition):
    return condition, Call(NOT, [condition], BOOLEAN), Call(IS_NULL, [condition], BOOLEAN)


def united(parts, word):
    query = parts[0]
    for part in parts[1:]:
        query = SetOperation(word, query, part)
    return query


def partitioned_where(select, condition):
    """WHERE p, NOT p and p IS NULL together give all rows."""
    whole = plain(select)
    word = "union" if select.distinct else "union all"
    return whole, united([whole.copy(where=select.where + [part]) for part in thirds(condition)], word)


def partitioned_having(select, condition):
    whole = plain(select)
    word = "union" if select.distinct else "union all"
    return whole, united([whole.copy(having=select.having + [part]) for part in thirds(condition)], word)


def partitioned_aggregate(select, condition):
    """Aggregates of the parts, combined."""
    whole = plain(select, having=[], distinct=False)
    whole.items = [item for item in whole.items if isinstance(item.expression, Call) and item.expression.form.name in COMBINED
                   and item.type.category != "float"] or [Item(Call(COUNT, [], BIGINT), "c1")]
    whole.items = [item.copy(expression=cleaned(item.expression), name=f"c{index + 1}") for index, item in enumerate(whole.items)]
    parts = united([whole.copy(where=select.where + [part]) for part in thirds(condition)], "union all")
    items = []
    for item in whole.items:
        call = item.expression if item.expression.form.name in COMBINED else item.expression.arguments[0]
        form = Form("combined", [item.type.category], item.type, COMBINED[call.form.name])
        items.append(item.copy(expression=Call(form, [Column("u", item.name, item.type, True)], item.type)))
    return whole, Select(items, Derived(parts, "u"))


def unoptimized_count(select, condition):
    """NoREC: what a filter lets through, counted without a filter."""
    whole = plain(select, distinct=False, group=[], having=[], grouping="")
    left = whole.copy(items=[Item(Call(COUNT, [], BIGINT), "c1")], where=select.where + [condition])
    return left, whole.copy(items=[Item(Call(SUM_OF_TRUE, [condition], BIGINT), "c1")])


def joined_by_where(select, condition):
    """ON of inner joins moved to WHERE."""
    moved = []
    whole = plain(select)
    source = without_conditions(whole.source, moved)
    return whole, whole.copy(source=source, where=whole.where + moved)


def without_conditions(source, moved):
    if isinstance(source, Join) and source.kind == "join":
        left = without_conditions(source.left, moved)
        moved.append(source.condition)
        return source.copy(kind="cross join", condition=None, left=left)
    return source


def rewrites(select):
    """Those that fit a SELECT, and whether the condition is one over groups."""
    if not isinstance(select, Select) or select.scope is None:
        return []
    # LIMIT is left out of both sides; windows see other rows in parts.
    has_window = any(type(node).__name__ == "Window" for item in select.items for node in item.walk())
    found = [(unoptimized_count, False)]
    if not select.group and not select.is_aggregate and not has_window:
        found.append((partitioned_where, False))
    if select.is_aggregate:
        found.append((partitioned_aggregate, False))
    if select.group and not has_window:
        found.append((partitioned_having, True))
    if isinstance(select.source, Join) and select.source.kind == "join":
        found.append((joined_by_where, False))
    return found
