"""Values of columns: for each type some profiles (tiny ranges, skew, runs, extremes, everything)."""
import datetime
from decimal import Decimal, getcontext

getcontext().prec = 60
LIMITS = {"smallint": 2**15 - 1, "integer": 2**31 - 1, "bigint": 2**63 - 1}
WORDS = ["a", "b", "ab", "Abc", "abc", "zeta", "x y", "100%", "under_score", "äö", "q", "0", "12", "-7", "3.5", "true", "A", "it's",
         "quote\"d", "comma,ed", "漢字", "aXbXc", "ba", "bab"]
EPOCH = datetime.date(2000, 1, 1)


def maker(rng, column, count, has_extremes):
    """A function from the row's number to a value that is not NULL."""
    category = column.type.category
    if category == "int":
        return integers(rng, LIMITS[column.type.kind], count, has_extremes)
    if category == "dec":
        # Redshift keeps 64-bit values up to 19 digits.
        limit = min(10**column.type.precision - 1, 2**63 - 1 if column.type.precision <= 19 else 10**38 - 1)
        unscaled = integers(rng, limit, count, has_extremes)
        scale = column.type.scale
        return lambda number: Decimal(unscaled(number)).scaleb(-scale)
    return {"float": floats, "bool": booleans, "char": chars, "text": texts, "date": dates, "time": times, "timetz": times,
            "timestamp": timestamps, "timestamptz": timestamps}[category](rng, column, count, has_extremes)


def integers(rng, limit, count, has_extremes):
    bound = min(limit, 10**6)
    profiles = [
        lambda number: rng.randint(0, min(3, limit)), lambda number: rng.randint(-min(9, limit), min(9, limit)),
        lambda number: rng.randint(-min(100, limit), min(100, limit)), lambda number: number % (bound + 1),
        lambda number: (number // 100) % (bound + 1), lambda number: int(rng.paretovariate(1.2)) % (bound + 1),
        lambda number: rng.randint(-bound, bound), lambda number: 0,
    ]
    if limit > 10**6:
        # Close together anywhere, mostly at an end: two such columns are further apart than their type is wide.
        base = rng.choice([rng.randint(-limit, limit - 200), -limit + rng.randrange(9), limit - 200 - rng.randrange(9)])
        profiles += [lambda number: base + rng.randint(0, 200), lambda number: rng.randint(-limit // 4, limit // 4)]
    extremes = [limit, -limit, limit, 0, -1, 1, limit - 1]
    if limit in LIMITS.values():
        extremes.append(-limit - 1)
    if has_extremes:
        profiles += [lambda number: rng.choice(extremes), lambda number: rng.choice(extremes),
                     lambda number: rng.randint(-limit, limit)]
    return rng.choice(profiles)


def floats(rng, column, count, has_extremes):
    """Multiples of a quarter: their sums are exact in any order."""
    spread = rng.choice([4, 100, 100_000])
    plain = lambda number: rng.randint(-spread, spread) / 4
    if not has_extremes or rng.random() < 0.5:
        return plain
    column.special = True
    big = 1e37 if column.type.kind == "real" else 1e300
    extremes = [float("inf"), float("-inf"), float("nan"), -0.0, 0.0, big, -big, 1 / big, 1.0]
    return lambda number: rng.choice(extremes) if rng.random() < 0.5 else plain(number)


def booleans(rng, column, count, has_extremes):
    share = rng.choice([0.5, 0.5, 0.1, 0.99, 1])
    return lambda number: rng.random() < share


def chars(rng, column, count, has_extremes):
    size = column.type.precision
    words = [word for word in WORDS if word.isascii()]
    if rng.random() < 0.3 and size > 6:
        return lambda number: f"k{number % 5000}"[:size]
    return lambda number: rng.choice(words)[:size].rstrip(" ")


def texts(rng, column, count, has_extremes):
    size = column.type.precision

    def cut(text):
        return text.encode()[:size].decode(errors="ignore")
    few = rng.sample(WORDS, rng.randint(1, 6))
    profiles = [
        lambda number: cut(rng.choice(few)), lambda number: cut(rng.choice(WORDS)), lambda number: cut(rng.choice(few)),
        lambda number: cut(rng.choice(["", "a", "ab", "b"])), lambda number: cut(f"k{number}"),
        lambda number: cut(f"common prefix of {number % 300:05d}"), lambda number: str(rng.randint(-99, 999)),
        lambda number: cut(rng.choice(few) + " " * rng.randrange(3)), lambda number: cut(" " * rng.randrange(3)),
        lambda number: cut(f"{rng.choice('abc')}{rng.choice('xyz')}{rng.choice('012')}"),
        lambda number: f"{rng.randint(1990, 2030)}",
    ]
    if count <= 3000 and size > 100:
        profiles += [lambda number: cut(rng.choice(few) * rng.choice([1, 40, 500]))] * 2
    return rng.choice(profiles)


def dates(rng, column, count, has_extremes):
    spread = rng.choice([3, 30, 1000, 20_000])
    plain = lambda number: str(EPOCH + datetime.timedelta(days=rng.randint(-spread, spread)))
    if not has_extremes or rng.random() < 0.5:
        return plain
    column.special = True
    extremes = ["4713-01-02 BC", "0001-12-31 BC", "0001-01-01", "9999-12-31", "100000-02-29", "294246-12-31", "1970-01-01",
                "1582-10-15", "1900-02-28", "2000-02-29"]
    return lambda number: rng.choice(extremes) if rng.random() < 0.7 else plain(number)


def clock(rng, precision):
    seconds = rng.choice([rng.randrange(86_400), rng.randrange(24) * 3600])
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    if precision and rng.random() < 0.3:
        text += f".{rng.randrange(1_000_000):06d}"
    return text


def times(rng, column, count, has_extremes):
    # Redshift's tables hold TIMETZ in UTC, those of the others keep the offset.
    zone = "+00" if column.type.kind == "timetz" else ""
    few = [clock(rng, True) + zone for _ in range(rng.choice([2, 10, 500]))]
    if has_extremes:
        few += ["00:00:00" + zone, "23:59:59.999999" + zone]
    return lambda number: rng.choice(few)


def timestamps(rng, column, count, has_extremes):
    zone = "+00" if column.type.kind == "timestamptz" else ""
    day = dates(rng, column, count, has_extremes)

    def make(number):
        text = day(number)
        era = " BC" if text.endswith(" BC") else ""
        return f"{text.removesuffix(' BC')} {clock(rng, True)}{zone}{era}"
    if rng.random() < 0.5:
        few = [make(number) for number in range(20)]
        return lambda number: rng.choice(few)
    return make
