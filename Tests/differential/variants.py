"""The same query with other constants: statements that differ in constants only share a plan."""
from decimal import Decimal

from forms import Constant
from trees import Call, Literal


def with_other_constants(tree, rng):
    return Exchange(rng).tree(tree)


class Exchange:
    """Equal constants stay equal, so that keys of groups are still found in the select list."""

    def __init__(self, rng):
        self.rng, self.found = rng, {}

    def tree(self, tree):
        for field, index, child in tree.children():
            if isinstance(tree, Call) and isinstance(child, Literal):
                # What a function takes as a constant only says how it works.
                specs = tree.form.arguments
                if index >= len(specs) or isinstance(specs[index], Constant):
                    continue
            changed = self.literal(child) if isinstance(child, Literal) else self.tree(child)
            if changed is not child:
                tree = tree.with_child(field, index, changed)
        return tree

    def literal(self, literal):
        key = (literal.type, literal.value)
        if key not in self.found:
            self.found[key] = self.other(literal)
        return self.found[key]

    def other(self, literal):
        value, category = literal.value, literal.type.category
        if value is None or literal.bare or self.rng.random() < 0.3:
            return literal
        if category == "int":
            return Literal(value - 1 if value > 0 else value + 1, literal.type)
        if category == "dec":
            return Literal(value - Decimal(1).scaleb(-literal.type.scale) if value > 0 else -value, literal.type)
        if category == "text":
            return Literal(self.rng.choice(["a", "ab", "k2", "zeta", value + "b"]), literal.type)
        if category == "date":
            return Literal(self.rng.choice(["2000-01-02", "1999-12-30", "2010-06-01"]), literal.type)
        if category == "bool":
            return Literal(not value, literal.type)
        return literal
