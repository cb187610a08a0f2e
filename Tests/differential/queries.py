"""Random queries: sources and joins, conditions with subqueries, groups, windows, set operations and common table expressions."""
from expressions import Expressions, Scope, cleaned
from selects import Selects
from sqltypes import BOOLEAN, INTEGER
from trees import (
    Column, Derived, Item, Join, Literal, Select, SetOperation, Subquery, TableReference, With)


def repeat(leaves, factor, rows):
    """A join repeats rows, and so what was unique is so no longer."""
    for leaf in leaves:
        leaf.most = min(max(rows, 1), max(1, getattr(leaf, "most", rows)) * max(1, factor))


class Queries(Selects):
    """Makes queries over tables. `limit_rows` bounds what joins are expected to give; `work` sums what a query is expected to
    cost a system that joins by nested loops."""

    def __init__(self, rng, tables, limit_rows=200_000):
        self.rng, self.tables, self.limit_rows = rng, tables, limit_rows
        self.expressions = Expressions(rng, self.subquery_condition, self.scalar_subquery)
        self.plain_expressions = Expressions(rng)
        self.aliases, self.work, self.common = 0, 0, []

    def query(self):
        """A query for the top level; few that may give many rows."""
        for _ in range(6):
            query, rows = self.any_query()
            if rows <= 4000 or self.rng.random() < 0.03:
                break
        return query

    def any_query(self):
        rng = self.rng
        self.aliases, self.work, self.common = 0, 0, []
        definitions, names = [], []
        if rng.random() < 0.12:
            for number in range(rng.choice([1, 1, 2])):
                definition, scope = self.nested(2)
                names.append(f"w{number}")
                definitions.append(definition)
                self.common.append((names[-1], definition, scope))
        query = self.set_operation(0) if rng.random() < 0.12 else self.select(0)
        # Only at the top of a statement is the order of rows seen; within, LIMIT makes it matter.
        exact = not any(type.inexact or type.category == "timetz" for type in query.types())
        if exact and rng.random() < 0.35:
            self.order(query, 0.6)
        rows = min(query.rows, query.limit if query.limit is not None else query.rows)
        return With(names, definitions, query) if definitions else query, rows

    def order(self, query, chance_of_limit):
        rng = self.rng
        query.is_ordered = True
        for item in query.output():
            item.descends, item.nulls_first = rng.random() < 0.5, rng.random() < 0.5
        if rng.random() < chance_of_limit:
            query.limit = rng.choice([0, 1, 2, 5, 10, 100, 1000, 5000, 20_000])
            query.offset = rng.choice([None, None, None, 0, 1, 7, 100])

    def alias(self):
        self.aliases += 1
        return f"x{self.aliases}"

    # MARK: Sources

    def relation(self, depth):
        rng, alias = self.rng, self.alias()
        if self.common and rng.random() < 0.5:
            name, definition, scope = rng.choice(self.common)
            return TableReference(name, alias), self.output_scope(definition, alias, scope.rows)
        if depth < 3 and rng.random() < 0.15:
            query, scope = self.nested(depth + 1)
            return Derived(query, alias), self.output_scope(query, alias, scope.rows)
        table = rng.choice(self.tables)
        leaves = [Column(alias, column.name, column.type, column.clean, column) for column in table.columns]
        for leaf, column in zip(leaves, table.columns):
            leaf.most = column.most
        return TableReference(table.name, alias, not table.has_far_days), Scope(leaves, len(table.rows), None, [leaves[0]])

    def output_scope(self, query, alias, rows):
        leaves = []
        for item, type, clean in zip(query.output(), query.types(), query.output_clean()):
            leaf = Column(alias, item.name, type, clean)
            leaf.most = rows
            leaves.append(leaf)
        return Scope(leaves, rows)

    def source(self, depth):
        rng = self.rng
        tree, scope = self.relation(depth)
        for _ in range(rng.choice([0, 0, 1, 1, 1, 2, 3]) if depth < 2 else rng.choice([0, 0, 0, 1])):
            right, joined = self.relation(depth)
            made = self.join(tree, scope, right, joined)
            if made is None:
                continue
            tree, scope = made
        return tree, scope

    def join(self, left, scope, right, joined):
        rng = self.rng
        kind = rng.choice(["join", "join", "join", "left join", "left join", "right join", "full join"])
        product = scope.rows * joined.rows
        if product <= 20_000 and rng.random() < 0.06:
            kind, condition, rows, factors = "cross join", None, product, (joined.rows, scope.rows)
        elif product <= 200_000 and rng.random() < 0.15 and kind != "full join":
            condition, rows = self.plain_expressions.condition(scope.plus(joined), 2), product
            factors = joined.rows, scope.rows
        else:
            found = self.equal(scope, joined)
            if found is None:
                return None
            condition, rows, factors = found
            while rng.random() < 0.3:
                more = self.expressions if rng.random() < 0.3 and kind in ("join", "left join") else self.plain_expressions
                condition = self.both(condition, more.condition(scope.plus(joined), 1))
        rows = max(rows, scope.rows if kind in ("left join", "full join") else 0, joined.rows if kind in ("right join", "full join") else 0)
        if rows > self.limit_rows:
            return None
        self.work += rows
        repeat(scope.leaves, factors[0], rows)
        repeat(joined.leaves, factors[1], rows)
        keys = scope.keys + joined.keys if scope.keys and joined.keys else None
        return Join(kind, left, right, condition), Scope(
            scope.leaves + joined.leaves, rows, None, keys, max(scope.peak, joined.peak))

    def equal(self, scope, joined):
        """An equality of two columns, the rows that it lets through at most, and how often a row of either side comes at
        most; None when that is too much."""
        rng = self.rng
        for attempt in range(6):
            category = "int" if rng.random() < 0.7 or attempt > 3 else rng.choice(["dec", "text", "date", "char", "timestamp", "bool"])
            left, right = scope.by_category.get(category), joined.by_category.get(category)
            if not left or not right:
                continue
            one, other = rng.choice(left), rng.choice(right)
            if attempt > 2 and scope.keys and joined.keys:
                one, other = rng.choice(scope.keys), joined.keys[0]
            factors = getattr(other, "most", joined.rows), getattr(one, "most", scope.rows)
            rows = min(scope.rows * factors[0], joined.rows * factors[1])
            if rows <= self.limit_rows:
                return self.compare(one, "=", other), max(rows, 1), factors
        return None

    # MARK: Nested queries

    def nested(self, depth):
        """A query for FROM or WITH, and a scope with the rows that it may have."""
        rng = self.rng
        query = self.set_operation(depth) if rng.random() < 0.15 else self.select(depth)
        rows = query.rows
        if rng.random() < 0.2 and not any(type.category == "timetz" for type in query.types()):
            self.order(query, 1)
            rows = min(rows, query.limit)
        return query, Scope([], rows)

    def set_operation(self, depth):
        rng = self.rng
        categories = [rng.choice(["int", "int", "dec", "text", "date", "bool", "timestamp"]) for _ in range(rng.randint(1, 3))]
        query = self.select(max(depth, 1), categories)
        for _ in range(rng.choice([1, 1, 2])):
            word = rng.choice(["union", "union all", "union all", "intersect", "except"])
            other = self.select(max(depth, 1), categories)
            rows = query.rows + other.rows
            query = SetOperation(word, query, other)
            query.rows = rows
        return query

    def inner(self, outer, categories=None):
        """A small select for a subquery, mostly correlated with the scope around by an equality."""
        rng = self.rng
        source, scope = self.source(3)
        scope.outer = outer if outer is not None and rng.random() < 0.75 else None
        select = Select([], source)
        cost, has_key = scope.rows, False
        if scope.outer is not None:
            cost = outer.peak * scope.peak
            pairs = [(one, other) for one in scope.by_category.get("int", []) for other in outer.by_category.get("int", [])]
            if pairs and rng.random() < 0.8:
                one, symbol, other = self.ordered_pair(rng.choice(pairs))
                select.where.append(self.compare(one, symbol, other))
                has_key = symbol == "="
                if has_key:
                    cost = outer.peak * min(getattr(one, "most", scope.peak), scope.peak)
        if cost > (20_000_000 if has_key else 2_000_000) and scope.outer is not None:
            return None, None
        self.work += cost
        if rng.random() < 0.6:
            select.where.append(self.plain_expressions.condition(scope, 1))
        return select, scope

    def ordered_pair(self, pair):
        symbol = self.rng.choice(["=", "=", "=", "=", "<", ">="])
        return pair[0], symbol, pair[1]

    def subquery_condition(self, scope, depth):
        rng = self.rng
        select, inner = self.inner(scope)
        if select is None:
            return None
        word = rng.choice(["", "not "])
        if rng.random() < 0.4:
            select.items = [Item(Literal(1, INTEGER), "c1")]
            return Subquery("(" + word + "exists ({q}))", [], select, BOOLEAN)
        category = rng.choice(["int", "int", "int", "dec", "text", "date"])
        value = self.plain_expressions.expression(scope.inner() if scope.outer is None else scope, category, 1)
        inside = cleaned(self.plain_expressions.expression(inner.inner(), category, 1))
        select.items = [Item(inside, "c1")]
        if rng.random() < 0.15:
            function = self.plain_expressions.aggregate(inner.inner(), 0, False)
            if function.type.category == category:
                select.items = [Item(cleaned(function), "c1")]
        template = "({0:c} " + word + "in ({q}))"
        if rng.random() < 0.3:
            symbol, quantifier = rng.choice(["=", "<>", "<", "<=", ">", ">="]), rng.choice(["any", "all", "all"])
            # But for IN and NOT IN, in conditions of joins they are asked pair by pair.
            is_equality = (symbol, quantifier) in (("=", "any"), ("<>", "all"))
            if is_equality or scope.peak * inner.peak <= 2_000_000:
                template = "({0:c} " + symbol + " " + quantifier + " ({q}))"
        return Subquery(template, [value], select, BOOLEAN)

    def scalar_subquery(self, scope, category, depth):
        """One row at most: an aggregate, compared with something."""
        select, inner = self.inner(scope)
        if select is None:
            return None
        for _ in range(12):
            made = self.plain_expressions.aggregate(inner.inner(), 1, False)
            if made.type.category == category:
                select.items = [Item(cleaned(made), "c1")]
                return Subquery("({q})", [], select, made.type)
        return None
