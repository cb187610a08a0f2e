"""The trees of expressions and queries: typed nodes with one renderer for each dialect, and what the shrinker needs to walk them.

Nodes are not changed once made; `replaced` gives a copy with one node exchanged.
"""
from data import literal
from sqltypes import BOOLEAN, DUCKDB, POSTGRES, REDBARN, widest


class Tree:
    fields = ()

    def children(self):
        """(field, index or None, node) of the direct parts."""
        for field in self.fields:
            value = getattr(self, field)
            if isinstance(value, list):
                for index, node in enumerate(value):
                    yield field, index, node
            elif value is not None:
                yield field, None, value

    def walk(self):
        yield self
        for _, _, child in self.children():
            yield from child.walk()

    def copy(self, **changes):
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy.__dict__.pop("texts", None)
        copy.__dict__.update(changes)
        return copy

    def with_child(self, field, index, node):
        if index is None:
            return self.copy(**{field: node})
        values = list(getattr(self, field))
        values[index] = node
        return self.copy(**{field: values})

    def supports(self, dialect):
        return all(node.has_form_in(dialect) for node in self.walk())

    def has_form_in(self, dialect):
        return True


class Expression(Tree):
    type = BOOLEAN
    clean = False


class Column(Expression):
    """A column of a relation in FROM; `fact` is the table's column behind it, when there is one."""

    def __init__(self, alias, name, type, clean, fact=None):
        self.alias, self.name, self.type, self.clean, self.fact = alias, name, type, clean, fact

    def render(self, dialect):
        return f"{self.alias}.{self.name}"



class Literal(Expression):
    def __init__(self, value, type, bare=False):
        self.value, self.type, self.bare = value, type, bare
        self.clean = not (isinstance(value, str) and value.endswith(" "))

    def render(self, dialect):
        return str(self.value) if self.bare else literal(self.value, self.type, dialect)


class Slot:
    """An argument in a template: {0} as it is, {0:c} without the trailing blanks that Redshift's comparisons ignore."""

    def __init__(self, nodes, dialect):
        self.nodes, self.dialect = nodes, dialect

    def __format__(self, style):
        return ", ".join(compared(node, self.dialect) if style == "c" else node.render(self.dialect) for node in self.nodes)


def compared(node, dialect):
    text = node.render(dialect)
    return text if dialect == REDBARN or node.clean or node.type.category != "text" else f"rtrim({text}, ' ')"


class Call(Expression):
    fields = ("arguments",)

    def __init__(self, form, arguments, type):
        self.form, self.arguments, self.type = form, arguments, type

    @property
    def clean(self):
        if self.form.clean == "arguments":
            return all(argument.clean for argument in self.arguments if argument.type.category == "text")
        return self.form.clean

    def render(self, dialect):
        template = self.form.template(dialect)
        if callable(template):
            template = template(self)
        slots = [Slot([argument], dialect) for argument in self.arguments]
        return template.format(*slots, rest=Slot(self.arguments[1:], dialect), all=Slot(self.arguments, dialect),
                               t=self.type.name(dialect))

    def has_form_in(self, dialect):
        template = self.form.template(dialect)
        return (template(self) if callable(template) else template) is not None


class Order(Tree):
    fields = ("expression",)

    def __init__(self, expression, descends, nulls_first):
        self.expression, self.descends, self.nulls_first = expression, descends, nulls_first

    def render(self, dialect):
        return compared(self.expression, dialect) + direction(self)


def direction(order):
    return (" desc" if order.descends else "") + (" nulls first" if order.nulls_first else " nulls last")


class Window(Expression):
    fields = ("call", "partition", "order")

    def __init__(self, call, partition, order, frame, keys=0):
        self.call, self.partition, self.order, self.frame, self.type = call, partition, order, frame, call.type
        # So many columns at the end of the order make it a total one.
        self.keys = keys

    @property
    def clean(self):
        return self.call.clean

    def render(self, dialect):
        parts = []
        if self.partition:
            parts.append("partition by " + ", ".join(compared(node, dialect) for node in self.partition))
        if self.order:
            parts.append("order by " + ", ".join(node.render(dialect) for node in self.order))
        if self.frame:
            parts.append(self.frame)
        return f"{self.call.render(dialect)} over ({' '.join(parts)})"


class Subquery(Expression):
    """EXISTS, IN, ANY, ALL or a scalar subquery, by its template."""
    fields = ("arguments", "query")

    def __init__(self, template, arguments, query, type):
        self.form_name, self.arguments, self.query, self.type = template, arguments, query, type
        self.clean = type.category != "text" or query.output_clean()[0]

    def render(self, dialect):
        slots = [Slot([argument], dialect) for argument in self.arguments]
        return self.form_name.format(*slots, q=self.query.render(dialect))


# MARK: FROM

class TableReference(Tree):
    def __init__(self, name, alias, is_portable=True):
        self.name, self.alias, self.is_portable = name, alias, is_portable

    def render(self, dialect):
        return f"{self.name} {self.alias}"

    def has_form_in(self, dialect):
        return dialect != DUCKDB or self.is_portable


class Derived(Tree):
    fields = ("query",)

    def __init__(self, query, alias):
        self.query, self.alias = query, alias

    def render(self, dialect):
        return f"({self.query.render(dialect)}) {self.alias}"


class Join(Tree):
    """`condition` is None for a cross join."""
    fields = ("left", "right", "condition")

    def __init__(self, kind, left, right, condition):
        self.kind, self.left, self.right, self.condition = kind, left, right, condition

    def render(self, dialect):
        right = self.right.render(dialect)
        if isinstance(self.right, Join):
            right = f"({right})"
        on = "" if self.condition is None else f" on {self.condition.render(dialect)}"
        return f"{self.left.render(dialect)} {self.kind} {right}{on}"


# MARK: Queries

class Item(Tree):
    fields = ("expression",)

    def __init__(self, expression, name, descends=False, nulls_first=False):
        self.expression, self.name, self.descends, self.nulls_first = expression, name, descends, nulls_first

    @property
    def type(self):
        return self.expression.type

    def render(self, dialect):
        return f"{compared(self.expression, dialect)} as {self.name}"


class Query(Tree):
    limit = offset = None
    is_ordered = False

    def text(self, dialect):
        """Rendered once a dialect: a finished query is sent to many."""
        texts = self.__dict__.setdefault("texts", {})
        if dialect not in texts:
            texts[dialect] = self.render(dialect)
        return texts[dialect]

    def tail(self):
        """A total order of the rows, apart from rows that are the same."""
        text = ""
        if self.is_ordered:
            text += " order by " + ", ".join(f"{index + 1}{direction(item)}" for index, item in enumerate(self.output()))
            if self.limit is not None:
                text += f" limit {self.limit}"
            if self.offset:
                text += f" offset {self.offset}"
        return text

    def types(self):
        return [item.type for item in self.output()]

    def output_clean(self):
        return [item.expression.clean for item in self.output()]


class Select(Query):
    fields = ("items", "source", "where", "group", "having")

    def __init__(self, items, source, where=(), group=(), grouping="", having=(), distinct=False):
        self.items, self.source, self.where, self.group = items, source, list(where), list(group)
        self.grouping, self.having, self.distinct = grouping, list(having), distinct
        # What conditions may be made of, for oracles that add some; not rendered.
        self.scope, self.group_scope, self.is_aggregate = None, None, False

    def output(self):
        return self.items

    def has_form_in(self, dialect):
        # PostgreSQL before 18 takes a key that folds to a constant for one in the rows where it is left out, too, and two
        # keys that a join makes equal for equal there: it leaves one of them out of ORDER BY.
        if dialect != POSTGRES or not self.grouping:
            return True
        return not self.is_ordered and all(isinstance(key, Column) for key in self.group)

    def render(self, dialect):
        parts = ["select " + ("distinct " if self.distinct else "") + ", ".join(item.render(dialect) for item in self.items)]
        if self.source is not None:
            parts.append("from " + self.source.render(dialect))
        if self.where:
            parts.append("where " + " and ".join(node.render(dialect) for node in self.where))
        if self.group:
            keys = [compared(node, dialect) for node in self.group]
            parts.append("group by " + grouping_text(self.grouping, keys))
        if self.having:
            parts.append("having " + " and ".join(node.render(dialect) for node in self.having))
        return " ".join(parts) + self.tail()


def grouping_text(grouping, keys):
    if grouping in ("rollup", "cube"):
        return f"{grouping} ({', '.join(keys)})"
    if grouping == "sets":
        return "grouping sets ((" + ", ".join(keys) + "), (" + keys[0] + "), ())"
    return ", ".join(keys)


class SetOperation(Query):
    fields = ("left", "right")

    def __init__(self, word, left, right):
        self.word, self.left, self.right = word, left, right

    def output(self):
        return self.left.output()

    def types(self):
        return [widest([left, right]) if left.category == right.category else left
                for left, right in zip(self.left.types(), self.right.types())]

    def output_clean(self):
        return [left and right for left, right in zip(self.left.output_clean(), self.right.output_clean())]

    def render(self, dialect):
        return f"({self.left.render(dialect)}) {self.word} ({self.right.render(dialect)})" + self.tail()


class With(Query):
    """Common table expressions before a query; `names` are theirs."""
    fields = ("definitions", "body")

    def __init__(self, names, definitions, body):
        self.names, self.definitions, self.body = names, definitions, body

    def output(self):
        return self.body.output()

    def types(self):
        return self.body.types()

    def output_clean(self):
        return self.body.output_clean()

    def render(self, dialect):
        definitions = ", ".join(
            f"{name} as ({query.render(dialect)})" for name, query in zip(self.names, self.definitions))
        return f"with {definitions} {self.body.render(dialect)}"
