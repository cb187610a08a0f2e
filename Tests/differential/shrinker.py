"""Makes a finding small: leaves out clauses, columns and rows, and puts parts of expressions for the whole while it stays."""
import time

from oracles import Finding
from trees import (
    Column, Derived, Expression, Join, Literal, Order, Select, SetOperation, TableReference, Window, With)

SIMPLE = {"int": 1, "text": "a", "bool": True, "date": "2000-01-01"}


def smaller_trees(tree):
    """Variants of a tree with one change, big ones first."""
    yield from smaller_here(tree)
    if isinstance(tree, Order):
        return
    for field, index, child in tree.children():
        for variant in smaller_trees(child):
            yield tree.with_child(field, index, variant)


def without_one(tree, field, least=0):
    values = getattr(tree, field)
    if len(values) > least:
        for index in range(len(values)):
            yield tree.copy(**{field: values[:index] + values[index + 1:]})


def smaller_here(tree):
    if isinstance(tree, With):
        yield tree.body
        if len(tree.names) > 1:
            for index in range(len(tree.names)):
                yield tree.copy(names=tree.names[:index] + tree.names[index + 1:],
                                definitions=tree.definitions[:index] + tree.definitions[index + 1:])
    elif isinstance(tree, SetOperation):
        yield tree.left
        yield tree.right
        yield from smaller_order(tree)
    elif isinstance(tree, Select):
        yield from smaller_select(tree)
    elif isinstance(tree, Join):
        yield tree.left
        yield tree.right
        if tree.kind not in ("join", "cross join"):
            yield tree.copy(kind="join")
    elif isinstance(tree, Window):
        yield tree.call
        yield from without_one(tree, "partition")
        # Without a total order positions and frames say nothing.
        for index in range(max(0, len(tree.order) - max(1, tree.keys))):
            yield tree.copy(order=tree.order[:index] + tree.order[index + 1:])
    elif isinstance(tree, Expression) and not isinstance(tree, (Column, Literal)):
        yield from smaller_expression(tree)
    elif isinstance(tree, Order):
        return
    elif isinstance(tree, Column):
        if tree.type.category in SIMPLE:
            yield Literal(SIMPLE[tree.type.category], tree.type)


def smaller_order(tree):
    if tree.limit is not None or tree.offset is not None:
        yield tree.copy(limit=None, offset=None)
    if tree.is_ordered and tree.limit is None:
        yield tree.copy(is_ordered=False, offset=None)


def smaller_select(tree):
    if isinstance(tree.source, Derived) and isinstance(tree.source.query, Select):
        yield tree.source.query
    yield from without_one(tree, "where")
    yield from without_one(tree, "having")
    yield from without_one(tree, "items", least=1)
    yield from without_one(tree, "group", least=1)
    if tree.group:
        yield tree.copy(group=[], grouping="")
    if tree.distinct:
        yield tree.copy(distinct=False)
    if tree.grouping:
        yield tree.copy(grouping="")
    yield from smaller_order(tree)


def smaller_expression(tree):
    """Parts of the same type, since what is around was made for it; then constants."""
    for _, _, child in tree.children():
        if isinstance(child, Expression) and child.type == tree.type:
            yield child
    for _, _, child in tree.children():
        if isinstance(child, Expression):
            for _, _, grandchild in child.children():
                if isinstance(grandchild, Expression) and grandchild.type == tree.type:
                    yield grandchild
    category = tree.type.category
    if category in SIMPLE:
        yield Literal(SIMPLE[category], tree.type)
    if category == "bool":
        yield Literal(False, tree.type)
    yield Literal(None, tree.type)


class Shrinker:
    """`bench` holds the tables in all systems and can exchange their rows."""

    def __init__(self, bench, seconds=30):
        self.bench, self.deadline = bench, time.monotonic() + seconds

    def has_time(self):
        return time.monotonic() < self.deadline

    def still(self, finding, trees):
        """The finding for other trees, when it is of the same kind."""
        try:
            found = finding.check.difference(trees)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            # A variant that cannot be rendered or rewritten is none.
            return None
        if isinstance(found, Finding) and found.kind == "death":
            self.bench.revive()
        if found is None or found == "skipped" or found.kind != finding.kind:
            return None
        if found.kind != "rows" and found.kind != "death" and found.signature() != finding.signature():
            return None
        return found

    def shrink(self, finding):
        # What takes a minute each time is shown as it is.
        if finding.kind == "error 57014":
            return finding
        if not any(self.still(finding, finding.trees) for _ in range(5)):
            finding.message += "\ndid not happen again in five times: a race?"
            return finding
        finding = self.shrink_trees(finding)
        finding = self.shrink_rows(finding)
        return self.shrink_trees(finding)

    def shrink_trees(self, finding):
        is_smaller = True
        while is_smaller and self.has_time():
            is_smaller = False
            for place, tree in enumerate(finding.trees):
                size = sum(1 for _ in tree.walk())
                for variant in smaller_trees(tree):
                    if not self.has_time():
                        return finding
                    if sum(1 for _ in variant.walk()) > size:
                        continue
                    trees = finding.trees[:place] + (variant,) + finding.trees[place + 1:]
                    if all(one.render("R") == other.render("R") for one, other in zip(trees, finding.trees)):
                        continue
                    found = self.still(finding, trees)
                    if found is not None:
                        finding, is_smaller = found, True
                        break
                if is_smaller:
                    break
        return finding

    def without_ghosts(self, finding, name):
        before = self.bench.table(name)
        if before.ghosts:
            self.bench.put(before.without_ghosts())
            found = self.still(finding, finding.trees)
            if found is not None:
                return found
            self.bench.put(before)
        return finding

    def shrink_rows(self, finding):
        names = {node.name for tree in finding.trees for node in tree.walk() if isinstance(node, TableReference)}
        for table in [table for table in self.bench.tables if table.name in names]:
            finding = self.without_ghosts(finding, table.name)
            kept, part = table.rows, 2
            while part <= 2 * len(kept) and self.has_time():
                size = -(-len(kept) // part) if kept else 1
                for start in range(0, len(kept), size):
                    rows = kept[:start] + kept[start + size:]
                    self.bench.exchange(table.name, rows)
                    found = self.still(finding, finding.trees)
                    if found is not None:
                        kept, finding = rows, found
                        part = max(2, part - 1)
                        break
                    if not self.has_time():
                        break
                else:
                    part *= 2
            self.bench.exchange(table.name, kept)
        return finding
