"""Random SELECTs without what is around them: plain, aggregated, grouped, with window functions."""
from expressions import CHANCES, Scope, cleaned, is_constant
from forms import FRAMED, NEIGHBOURS, OVER_FRAMES, POSITIONS, RANKS
from sqltypes import BOOLEAN
from text_forms import BOOLEAN_FORMS, INTERVALS, MONTHS_BETWEEN
from trees import Call, Item, Order, Select, Window

AND = next(form for form in BOOLEAN_FORMS if form.name == "and")
COMPARISONS = {}
for _form in BOOLEAN_FORMS:
    if _form.name in ("compare", "compare-char"):
        COMPARISONS.setdefault((_form.arguments[0], _form.templates["R"].split()[1]), _form)
FRAMES = ["rows between unbounded preceding and current row", "rows unbounded preceding",
          "rows between 2 preceding and 1 following", "rows between current row and unbounded following",
          "rows between unbounded preceding and unbounded following", "rows between 3 preceding and 1 preceding",
          "rows between 1 following and 100 following", "rows 5 preceding", "rows current row"]
# Peers of DISTINCT, GROUP BY and set operations must be told apart alike.
KEYS = [category for category in CHANCES if category != "timetz"]



def uncast(node):
    """Without casts that change nothing: for DuckDB `x` and `x::bigint` of a BIGINT are two keys, for others one."""
    while isinstance(node, Call) and node.form.name.startswith("to-") and node.arguments[0].type == node.type:
        node = node.arguments[0]
    return node


class Selects:
    def compare(self, left, symbol, right):
        return Call(COMPARISONS[(left.type.category, symbol)], [left, right], BOOLEAN)

    def both(self, left, right):
        return Call(AND, [left, right], BOOLEAN)

    def select(self, depth, categories=None):
        rng = self.rng
        source, scope = self.source(depth)
        select = Select([], source)
        select.scope, select.rows = scope, scope.rows
        for _ in range(rng.choice([0, 0, 1, 1, 2])):
            maker = self.expressions if depth < 2 else self.plain_expressions
            select.where.append(maker.condition(scope, 2))
        shape = rng.random()
        if shape < 0.35:
            self.plain(select, scope, depth, categories)
        elif shape < 0.5:
            self.aggregated(select, scope, depth, categories)
        elif shape < 0.8:
            self.grouped(select, scope, depth, categories)
        else:
            self.windowed(select, scope, depth, categories)
        is_inner = depth > 0
        for index, item in enumerate(select.items):
            item.name = f"c{index + 1}"
            if is_inner:
                item.expression = cleaned(item.expression)
        return select

    def category(self, scope):
        rng = self.rng
        return rng.choice([c for c in CHANCES if c in scope.by_category] or CHANCES)

    def item(self, scope, depth, category=None):
        rng = self.rng
        maker = self.expressions if depth < 2 else self.plain_expressions
        if category is None:
            if depth == 0 and rng.random() < 0.06:
                made = self.plain_expressions.inexact(scope, 1)
                if made is not None:
                    return made
            if depth == 0 and rng.random() < 0.02 and "timestamp" in scope.by_category:
                return self.plain_expressions.call(scope, rng.choice(INTERVALS + [MONTHS_BETWEEN]), 1)
            if rng.random() < 0.4:
                exact = [leaf for leaf in scope.leaves if not leaf.type.inexact and (depth == 0 or leaf.type.category != "timetz")]
                return rng.choice(exact or scope.leaves)
            category = self.category(scope)
        return maker.expression(scope, category, rng.choice([1, 2, 3]))

    def plain(self, select, scope, depth, categories):
        rng = self.rng
        is_distinct = rng.random() < 0.25
        if categories is None and is_distinct:
            categories = [rng.choice([c for c in KEYS if c in scope.by_category] or KEYS) for _ in range(rng.randint(1, 3))]
        wanted = categories or [None] * rng.randint(1, 5)
        select.items = [Item(self.item(scope, depth, category), "") for category in wanted]
        select.distinct = is_distinct

    def aggregated(self, select, scope, depth, categories):
        rng = self.rng
        leaves = [self.plain_expressions.aggregate(scope, 2, depth == 0) for _ in range(rng.randint(1, 4))]
        if rng.random() < 0.1 and depth == 0 and categories is None:
            made = self.plain_expressions.percentile(scope)
            if made is not None:
                leaves.append(made)
        select.is_aggregate, select.rows = True, 1
        self.over_groups(select, [], leaves, depth, categories)

    def grouped(self, select, scope, depth, categories):
        rng = self.rng
        keys = []
        for _ in range(rng.choice([1, 1, 2, 2, 3])):
            key = self.key(scope)
            if key is not None and all(uncast(key).render("R") != uncast(other).render("R") for other in keys):
                keys.append(key)
        if not keys:
            return self.aggregated(select, scope, depth, categories)
        select.group, select.rows = keys, min(select.rows, max(1000, select.rows // 20))
        if rng.random() < 0.2:
            select.grouping = rng.choice(["rollup", "cube", "sets"])
        leaves = [self.plain_expressions.aggregate(scope, 1, depth == 0) for _ in range(rng.randint(0, 3))]
        if rng.random() < 0.08 and depth == 0 and categories is None:
            made = self.plain_expressions.percentile(scope)
            if made is not None:
                leaves.append(made)
        self.over_groups(select, keys, leaves, depth, categories)

    def key(self, scope):
        rng = self.rng
        category = rng.choice([c for c in KEYS if c in scope.by_category] or KEYS)
        if category in ("char",):
            return None
        made = self.plain_expressions.leaf(scope, category)
        if made is None or rng.random() < 0.35:
            made = self.plain_expressions.expression(scope.inner(), category, 2)
        return None if is_constant(made) else cleaned(made)

    def over_groups(self, select, keys, functions, depth, categories):
        """The select list and HAVING, of expressions over keys and aggregates."""
        rng = self.rng
        functions = functions or [self.plain_expressions.aggregate(select.scope, 1, False)]
        pool = Scope(keys + [cleaned(function) for function in functions], select.rows)
        if categories is not None:
            select.items = [Item(self.plain_expressions.expression(pool, category, 2), "") for category in categories]
        else:
            select.items = [Item(key, "") for key in keys if rng.random() < 0.85]
            select.items += [Item(function, "") for function in functions]
            if rng.random() < 0.3:
                select.items.append(Item(self.plain_expressions.expression(pool, self.category(pool), 2), ""))
            if rng.random() < 0.15:
                select.items.append(Item(self.window(pool, None, depth), ""))
        if not keys:
            select.items = [item for item in select.items]
        select.group_scope = pool
        if rng.random() < 0.25:
            select.having.append(self.plain_expressions.condition(pool, 2))

    def windowed(self, select, scope, depth, categories):
        rng = self.rng
        if categories is not None:
            select.items = [Item(self.item(scope, depth, category), "") for category in categories]
            return
        select.items = [Item(self.item(scope, max(1, depth)), "") for _ in range(rng.randint(0, 2))]
        select.items += [Item(self.window(scope, scope.keys, depth), "") for _ in range(rng.choice([1, 1, 2, 3]))]

    def window(self, scope, keys, depth):
        """Rows are ordered totally where the function tells peers apart."""
        rng = self.rng
        partition = [key for key in (self.key(scope) for _ in range(rng.choice([0, 1, 1, 2]))) if key is not None]
        order = [Order(key, rng.random() < 0.5, rng.random() < 0.5)
                 for key in (self.key(scope) for _ in range(rng.choice([0, 1, 1, 2]))) if key is not None]
        choice, frame = rng.random(), ""
        if keys:
            order += [Order(key, False, False) for key in keys]
        if choice < 0.3 or not keys:
            if order and rng.random() < 0.5:
                forms = RANKS
                if rng.random() < 0.5 and keys and len(order) > len(keys):
                    order, keys = order[:-len(keys)], None
            else:
                forms, order, keys = OVER_FRAMES, [], None
        elif choice < 0.5:
            forms = NEIGHBOURS
        elif choice < 0.6:
            forms = POSITIONS
        elif choice < 0.75:
            forms, frame = FRAMED, rng.choice(FRAMES)
        else:
            forms, frame = OVER_FRAMES, rng.choice(FRAMES)
        for _ in range(20):
            form = rng.choice(forms)
            call = self.plain_expressions.aggregate_call(scope, form, 1) if form.arguments else self.plain_expressions.call(scope, form, 0)
            if call is not None and (depth == 0 or not call.type.inexact):
                return Window(call, partition, order, frame, len(keys or ()))
        count = OVER_FRAMES[0]
        return Window(Call(count, [], count.result), partition, [], "")
