"""Differences that are Redshift's own behaviour, each with its reason."""
import re


# Error texts that are Redshift's rules, where PostgreSQL allows more.
RULES = [
    # All aggregates with WITHIN GROUP of a SELECT have one order.
    r"within group ORDER BY clauses for aggregate functions must be the same",
    # 65,535 bytes.
    r"Result size exceeds LISTAGG limit",
]


def is_known(finding):
    return finding.kind == "refused" and any(re.search(rule, finding.message) for rule in RULES)
