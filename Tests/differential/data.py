"""Tables and their rows: columns with a profile of values, and the designs that Redbarn stores them in."""
import csv
from decimal import Decimal

from sqltypes import (
    BIGINT, BOOLEAN, DATE, DOUBLE, INTEGER, REAL, REDBARN, SMALLINT, TIME, TIMESTAMP, TIMESTAMPTZ, TIMETZ, Type, decimal)
from values import maker

ENCODINGS = {
    "int": ["raw", "az64", "bytedict", "delta", "lzo", "mostly8", "runlength", "zstd"],
    "dec": ["raw", "az64", "bytedict", "delta", "lzo", "mostly8", "runlength", "zstd"],
    "float": ["raw", "bytedict", "runlength", "zstd"], "bool": ["raw", "runlength", "zstd"],
    "text": ["raw", "bytedict", "lzo", "runlength", "text255", "text32k", "zstd"],
    "char": ["raw", "bytedict", "lzo", "runlength", "zstd"], "date": ["raw", "az64", "bytedict", "delta", "runlength", "zstd"],
    "timestamp": ["raw", "az64", "bytedict", "runlength", "zstd"], "timestamptz": ["raw", "az64", "bytedict", "zstd"],
    "time": ["raw", "az64"], "timetz": ["raw", "az64"],
}


class Column:
    """`clean`: no text of it ends in a blank; `special`: has NaN, infinities or years before 1."""

    def __init__(self, name, type):
        self.name, self.type = name, type
        self.clean, self.special, self.small = True, False, False
        self.distinct, self.most, self.unique, self.samples = 1, 0, False, []

    def measure(self, rng, values):
        counts = {}
        for value in values:
            if value is not None:
                counts[value] = counts.get(value, 0) + 1
        self.distinct, self.most = max(1, len(counts)), max(counts.values(), default=0)
        self.samples = rng.sample(list(counts), min(20, len(counts)))
        if self.type.category == "text":
            self.clean = all(not value.endswith(" ") for value in counts)
            self.small = all(len(value) < 40 for value in counts)


class Table:
    def __init__(self, name, columns, rows):
        self.name, self.columns, self.rows, self.design = name, columns, rows, ""
        self.encodings = {}
        # Redbarn gets rows that are deleted again, and some that are written twice, by these statements.
        self.ghosts, self.changes = [], []

    def definition(self, dialect):
        parts = []
        for column in self.columns:
            encoding = self.encodings.get(column.name) if dialect == REDBARN else None
            parts.append(f"{column.name} {column.type.name(dialect)}" + (f" encode {encoding}" if encoding else ""))
        return f"create table {self.name} ({', '.join(parts)})" + (self.design if dialect == REDBARN else "")

    def insertions(self, dialect, rows_each=200):
        all_rows = self.stored_rows() if dialect == REDBARN else self.rows
        for start in range(0, len(all_rows), rows_each):
            rows = ", ".join(
                "(" + ", ".join(literal(value, column.type, dialect) for value, column in zip(row, self.columns)) + ")"
                for row in all_rows[start:start + rows_each])
            yield f"insert into {self.name} values {rows}"

    def stored_rows(self):
        """Ghosts among the others."""
        if not self.ghosts:
            return self.rows
        step = max(1, len(self.rows) // len(self.ghosts))
        mixed, ghosts = [], iter(self.ghosts)
        for index, row in enumerate(self.rows):
            if index % step == 0:
                mixed += [ghost for ghost in [next(ghosts, None)] if ghost is not None]
            mixed.append(row)
        return mixed + list(ghosts)

    @property
    def has_far_days(self):
        """Years before 1 and after 9999: another matter in DuckDB."""
        return any(column.special and column.type.category in ("date", "timestamp", "timestamptz") for column in self.columns)

    def write(self, path, rows):
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_NOTNULL if hasattr(csv, "QUOTE_NOTNULL") else csv.QUOTE_MINIMAL)
            for row in rows:
                writer.writerow(["@N@" if value is None else plain(value) for value in row])

    def without_ghosts(self):
        copy = self.with_rows(self.rows)
        copy.ghosts, copy.changes = [], []
        return copy

    def with_rows(self, rows):
        copy = Table(self.name, self.columns, rows)
        copy.design, copy.encodings, copy.ghosts, copy.changes = self.design, self.encodings, self.ghosts, self.changes
        return copy


def plain(value):
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    return str(value)


def literal(value, type, dialect):
    """A value as a constant of its type."""
    if value is None:
        return f"null::{type.name(dialect)}"
    if type.category in ("text", "char"):
        text = "'" + value.replace("'", "''") + "'"
        return text if dialect == REDBARN else text + "::text"
    if type.category == "bool":
        return "true" if value else "false"
    text = plain(value)
    if type.kind == "integer" and value > -2**31 or type.category == "dec" and type.precision < 18 and type.scale:
        return f"({text})" if text.startswith("-") else text
    return f"'{text}'::{type.name(dialect)}"


def random_type(rng):
    kind = rng.choice(
        ["smallint", "integer", "integer", "bigint", "decimal", "decimal", "real", "double", "boolean", "boolean", "char",
         "varchar", "varchar", "varchar", "date", "date", "time", "timetz", "timestamp", "timestamptz"])
    if kind == "decimal":
        precision = rng.choice([1, 2, 4, 5, 9, 10, 12, 15, 18, 18, 19, 20, 25, 30, 38])
        return decimal(precision, min(37, precision, rng.choice([0, 0, 1, 2, 2, 4, precision // 2, precision])))
    if kind == "char":
        return Type("char", rng.choice([1, 3, 8, 20]))
    if kind == "varchar":
        return Type("varchar", rng.choice([4, 20, 100, 2000]))
    return {"smallint": SMALLINT, "integer": INTEGER, "bigint": BIGINT, "real": REAL, "double": DOUBLE, "boolean": BOOLEAN,
            "date": DATE, "time": TIME, "timetz": TIMETZ, "timestamp": TIMESTAMP, "timestamptz": TIMESTAMPTZ}[kind]


def random_table(rng, name, count, has_extremes):
    columns = [Column("id", rng.choice([INTEGER, BIGINT])), Column("k", rng.choice([SMALLINT, INTEGER, INTEGER, BIGINT]))]
    columns += [Column(f"c{index}", random_type(rng)) for index in range(rng.randint(3, 8))]
    step, start = rng.choice([1, 1, 3, 1000]), rng.choice([0, 1, -50, 100_000])
    ids = [start + step * number for number in range(count)]
    if rng.random() < 0.3:
        rng.shuffle(ids)
    spread = rng.choice([2, 7, 40, max(1, count)])
    nulls = rng.choice([0, 0, 0.05, 0.4])
    # Keys of all tables overlap with ids of others.
    lists = [ids, [None if nulls and rng.random() < nulls else start + rng.randrange(spread) if spread > 40 else rng.randrange(spread)
                   for _ in range(count)]]
    if columns[1].type is SMALLINT:
        lists[1] = [None if value is None else value % 30_000 for value in lists[1]]
    for column in columns[2:]:
        make = maker(rng, column, count, has_extremes)
        nulls = rng.choice([0, 0, 0.03, 0.3, 0.3, 0.8, 1] if rng.random() < 0.9 else [0.3])
        lists.append([None if nulls and rng.random() < nulls else make(number) for number in range(count)])
    for column, values in zip(columns, lists):
        column.measure(rng, values)
    columns[0].unique = True
    table = Table(name, columns, [list(row) for row in zip(*lists)])
    decide_design(rng, table)
    if rng.random() < 0.3:
        haunt(rng, table)
    return table


def haunt(rng, table):
    """Takes some rows away that Redbarn is given and deletes, and has it write others again."""
    divisor, rest = rng.choice([2, 3, 10, 1000]), rng.choice([0, 1])
    table.ghosts = [row for row in table.rows if abs(row[0]) % divisor == rest]
    table.rows = [row for row in table.rows if abs(row[0]) % divisor != rest]
    table.changes = [f"delete from {table.name} where abs(id) % {divisor} = {rest}"]
    if rng.random() < 0.5:
        table.changes.append(f"update {table.name} set k = k where id % 7 = {rng.randrange(7)}")
    if rng.random() < 0.2:
        table.changes.append(f"vacuum {table.name}")


def decide_design(rng, table):
    names = [column.name for column in table.columns]
    text = rng.choice(["", "", " diststyle even", " diststyle all", " diststyle auto", f" distkey ({rng.choice(names)})",
                       " distkey (k)", f" distkey ({names[0]})"])
    sort = rng.random()
    if sort < 0.5:
        keys = rng.sample(names, rng.randint(1, 3))
        text += rng.choice([" ", " compound ", " compound ", " interleaved "]) + f"sortkey ({', '.join(keys)})"
    table.design = text
    if rng.random() < 0.4:
        for column in rng.sample(table.columns, rng.randint(1, len(table.columns))):
            choices = ENCODINGS[column.type.category]
            table.encodings[column.name] = rng.choice(choices)
            if column.type is SMALLINT and table.encodings[column.name] in ("lzo", "delta"):
                table.encodings[column.name] = "az64"


COUNTS = {"small": [0, 1, 3, 10, 30, 60], "middle": [5, 200, 3000, 3000], "large": [30, 3000, 70_000, 70_000]}


def random_tables(rng, size):
    has_extremes = rng.random() < 0.3
    counts = [rng.choice(COUNTS[size]) for _ in range(rng.randint(2, 4))]
    if size == "large":
        counts[0] = rng.choice([66_000, 70_000, 70_000, 200_000])
    return [random_table(rng, f"t{number}", count, has_extremes) for number, count in enumerate(counts)]
