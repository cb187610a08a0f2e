"""Differences that are Redshift's own behaviour, each with its reason."""
import re

from sqltypes import REDBARN


# Error texts that are Redshift's rules, where PostgreSQL allows more.
RULES = [
    # All aggregates with WITHIN GROUP of a SELECT have one order.
    r"within group ORDER BY clauses for aggregate functions must be the same",
    # 65,535 bytes.
    r"Result size exceeds LISTAGG limit",
]


def exceeds_decimals(trees):
    """Decimals whose common type would have more than 38 digits: DuckDB gives up places behind the point, also in
    comparisons."""
    types = [node.type for tree in trees for node in tree.walk() if getattr(node, "type", None) is not None]
    decimals = [type for type in types if type.category == "dec"]
    whole, scale = (max((part(type) for type in decimals), default=0)
                    for part in (lambda type: type.precision - type.scale, lambda type: type.scale))
    return whole + scale > 38


def ignores_case_of_others(trees):
    """ILIKE knows the case of ASCII letters only."""
    texts = [tree.render(REDBARN) for tree in trees]
    return any("ilike" in text and not text.isascii() for text in texts)


def exists_over_outer_join(trees):
    """DuckDB 2.0: EXISTS over a LEFT JOIN whose condition holds for no row is false, though the join has rows."""
    texts = [tree.render(REDBARN) for tree in trees]
    return any("exists (" in text and "left join" in text for text in texts)


def is_known(finding):
    if finding.kind == "rows":
        name = getattr(finding.check, "name", "")
        if name in ("DuckDB", "PostgreSQL") and ignores_case_of_others(finding.trees):
            return True
        return name == "DuckDB" and (exceeds_decimals(finding.trees) or exists_over_outer_join(finding.trees))
    return finding.kind == "refused" and any(re.search(rule, finding.message) for rule in RULES)
