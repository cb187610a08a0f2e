"""A finding as a script: tables, rows, the query and both answers."""
from trees import TableReference

MOST_ROWS = 60


def reproduction(finding, bench):
    names = {node.name for tree in finding.trees for node in tree.walk() if isinstance(node, TableReference)}
    lines = []
    for table in bench.tables:
        if table.name in names:
            lines.append(table.definition("R") + ";")
            if len(table.rows) + len(table.ghosts) > MOST_ROWS:
                lines.append(f"-- {len(table.rows)} rows and {len(table.ghosts)} that are deleted: see the seed")
            else:
                lines += [text + ";" for text in table.insertions("R", 20)]
            lines += [text + ";" for text in table.changes]
    one, other = finding.check.sides(finding.trees)
    lines.append(f"-- {one[0].describe()}")
    lines.append(one[2].render("R") + ";")
    lines += answer(finding.left, finding.message)
    if finding.kind == "rows" and finding.message:
        lines.append("-- " + finding.message)
    lines.append(f"-- {finding.check.name}")
    lines += [f"set {setting};" for setting in other[1]]
    text = other[2].render(other[0].dialect)
    if text != one[2].render("R"):
        lines.append(text + ";")
    if finding.right is not None:
        lines += answer(finding.right, "")
    return "\n".join(lines)


def answer(answer, message):
    if answer is None or answer.rows is None:
        text = message or (answer.message if answer else "")
        return [f"--   {line}" for line in text.split("\n")[:40]]
    rows = sorted(answer.rows, key=lambda row: [(value is None, value or b"") for value in row])
    shown = ["--   " + " | ".join("NULL" if value is None else value.decode()[:200] for value in row) for row in rows[:12]]
    return shown + ([f"--   ... {len(rows)} rows"] if len(rows) > 12 else []) or ["--   no rows"]
