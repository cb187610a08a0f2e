"""A trial: one shape with one choice of argument types, its rows of arguments, and the contexts that they are tried in."""
import values
from shapes import ANY

UNCALLABLE = {"42883", "42804", "42846", "42601", "0A000", "42809", "42725", "42P20", "42803", "22P02"}
# Not of the expression: limits of memory and time, an ended connection.
INCOMPARABLE = {"53200", "57014", "57P01", "54000", "54001"}
# The template of TO_NUMBER says how many digits there are.
DECIDING = {"to_number": {1}}
FATAL = {"dead", "hung", "XX000"}
TABLE, BIG = "bc", "bb"


class Finding:
    def __init__(self, kind, shape, statements, note):
        self.kind, self.shape, self.statements, self.note = kind, shape, statements, note

    def __str__(self):
        return f"{self.kind}: {' '.join(self.note.split())}\n    {'; '.join(self.statements)};"


class Trial:
    def __init__(self, child, shape, variants, profile, rng, width):
        self.child, self.shape, self.variants, self.profile, self.rng = child, shape, variants, profile, rng
        self.width = width
        self.findings = []
        self.calls = 0
        self.constant_places = set()
        # Row groups that are sorted by an argument are searched, not looked through.
        place = rng.choice([None, *range(len(variants))])
        self.design = "" if place is None else f" compound sortkey (a{place})"

    # Arguments

    def pool(self, place):
        variant = self.variants[place]
        pool = values.small(variant) if self.profile == "small" else values.literals(variant)
        hint = self.shape.hints()[place]
        if hint and variant.startswith("varchar"):
            texts = [f"{text}::{variant}" for text in values.texts([hint])]
            # Half of the picks are of the kind that the function asks for.
            pool = texts * max(1, len(pool) // len(texts)) + pool if self.profile != "small" else texts[:6] + pool[:4]
        return pool

    def rows(self):
        """Sweeps, each place alone around a base that works, then random pairs."""
        count = len(self.variants)
        pools = [self.pool(place) for place in range(count)]
        base = self.base(pools)
        if base is None:
            return []
        rows = [base]
        for place in range(count):
            distinct = list(dict.fromkeys(pools[place]))
            picks = distinct if self.width is None else self.rng.sample(distinct, min(len(distinct), self.width))
            rows += [base[:place] + (pick,) + base[place + 1:] for pick in picks]
        if count > 1:
            pairs = (self.width or 100) * (count - 1)
            rows += [tuple(self.rng.choice(pool) for pool in pools) for _ in range(pairs)]
        return [row for row in dict.fromkeys(rows) if self.is_taken_over_tables(row)]

    def is_taken_over_tables(self, row):
        """Patterns that are no literals are the leader's alone."""
        return not self.shape.name.startswith("regexp_") or not ("(" in row[1].split("'")[0] or "||" in row[1])

    def base(self, pools):
        for _ in range(3):
            tried = [tuple(self.rng.choice(pool) for pool in pools) for _ in range(24)]
            answers = self.constants(tried)
            good = [row for row, (state, value) in zip(tried, answers) if state is None and value is not None]
            if good:
                return min(good, key=lambda row: sum("repeat(" in part for part in row))
            if all(state in UNCALLABLE for state, _ in answers):
                return None
        return tried[0]

    # Evaluation

    def expression(self, arguments):
        return self.shape.template.format(*arguments)

    def constants(self, rows):
        """(SQLSTATE, value) of every row; many in one statement, halves of it where one fails."""
        if not rows:
            return []
        found = self.fatal_check([f"select {', '.join(self.wrapped(self.expression(row)) for row in rows)}"], len(rows) == 1)
        if found.state is None:
            self.calls += len(rows)
            return [(None, value) for value in found.rows[0]] if found.rows else [(None, None)] * len(rows)
        if len(rows) == 1:
            return [(found.state, None)]
        middle = len(rows) // 2
        return self.constants(rows[:middle]) + self.constants(rows[middle:])

    def wrapped(self, expression):
        if self.shape.kind == "window":
            return f"{expression} over ()"
        return expression

    def fatal_check(self, statements, isMinimal=True):
        answer = None
        for statement in statements:
            answer = self.child.run(statement)
            if answer.state in FATAL and not (answer.state == "XX000" and answer.message.startswith("1023")):
                if isMinimal:
                    self.report(answer.state, statements, answer.message)
                break
            if answer.state:
                break
        return answer

    def report(self, kind, statements, note):
        if self.child.zone != "UTC":
            statements = [f"set timezone to '{self.child.zone}'"] + statements
        self.findings.append(Finding(kind, self.shape, statements, f"{self.shape.title}: {note}"))

    # Tables

    def definition(self, rows):
        columns = ", ".join(f"a{place} {variant}" for place, variant in enumerate(self.variants))
        lines = ", ".join(f"({index}, {', '.join(row)})" for index, row in rows)
        return [f"drop table if exists {TABLE}", f"create table {TABLE}(i int, {columns}){self.design}", f"insert into {TABLE} values {lines}"]

    def load(self, rows):
        """False where the values do not go into columns."""
        for statement in self.definition(rows):
            answer = self.child.run(statement)
            if answer.state:
                if answer.state in FATAL:
                    self.report(answer.state, [statement], answer.message)
                return False
        return True

    def column_arguments(self, row=None, prefix=""):
        """Columns, but literals for places that must be constant."""
        return [row[place] if place in self.constant_places else f"{prefix}a{place}" for place in range(len(self.variants))]

    def find_constant_places(self, row, isGood):
        """Which places refuse columns; False where all do."""
        count = len(self.variants)
        isAggregate = self.shape.kind in ("aggregate", "window")
        # Constants there decide the result's type: columns have another one.
        deciding = DECIDING.get(self.shape.name, set())
        sources = [deciding] + [deciding | {place} for place in range(count)] + [deciding | set(range(1, count))]
        for places in sources:
            self.constant_places = places
            text = self.wrapped(self.expression(self.column_arguments(row)))
            answer = self.child.run(f"select {text} from {TABLE}" + ("" if isAggregate else " where i = 0"))
            if answer.is_fatal or answer.state is None or (not isGood and answer.state not in UNCALLABLE | {"22023"}):
                return len(places) < count
        self.constant_places = set()
        return False


def equal(left, right):
    if left == right:
        return True
    if left is None or right is None:
        return False
    try:
        first, second = float(left), float(right)
    except ValueError:
        return False
    if b"." not in left + right and b"e" not in left + right:
        return first == second == 0
    return abs(first - second) <= 1e-11 * max(abs(first), abs(second)) or first != first and second != second


def choose_variants(shape, rng, first=None):
    """Types for the arguments; of several "any" half are of one type."""
    everything = list(values.FAMILY)
    same = first or rng.choice(everything)
    chosen = []
    for family in shape.families:
        if family == ANY:
            chosen.append(same if first or rng.random() < 0.5 or not chosen else rng.choice(everything))
        elif family == "character varying":
            chosen.append(rng.choice(["varchar(256)"] * 2 + ["varchar(65535)"]))
        else:
            chosen.append(rng.choice(values.VARIANTS[family]))
    return chosen
