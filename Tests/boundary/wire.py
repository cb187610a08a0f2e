"""Parameters of every OID in binary and text, and results of every type in binary."""
import struct

import values
from trials import FATAL, Finding


FINDINGS_OF_AN_OID = 3


class WireShape:
    name = "wire"


def raw_values(rng):
    """Bytes of every length that a type may want, at the extremes."""
    yield from (b"\x00" * size for size in range(21))
    yield from (b"\xff" * size for size in range(1, 21))
    for size, letter in ((2, "h"), (4, "i"), (8, "q")):
        top = 1 << (8 * size - 1)
        yield from (struct.pack("!" + letter, value) for value in (1, -1, top - 1, -top, 1 - top))
    yield from (struct.pack("!f", value) for value in (1e-45, float("nan"), float("inf"), -0.0))
    yield from (struct.pack("!d", value) for value in (5e-324, float("nan"), float("-inf"), 1e308))
    for micros in (0, -1, 86_400_000_000, 2**63 - 1, -2**63):
        yield from (struct.pack("!qi", micros, zone) for zone in (0, 57599, 57600, -2**31, 2**31 - 1))
        for days in (0, 1, -1, 106_751_991, 106_751_992, 2**31 - 1, -2**31):
            yield from (struct.pack("!qii", micros, days, months) for months in (0, 2**31 - 1, -2**31))
    # NUMERIC: digits, weight, sign, scale, groups of four digits.
    for count in (0, 1, 2, 10, 32767, 65535):
        for weight in (0, 1, 9, -1, -10, 32767, -32768):
            for sign in (0, 0x4000, 0xC000, 0x1234):
                for scale in (0, 38, 65535):
                    yield struct.pack("!HhHH", count, weight, sign, scale) + struct.pack("!H", 9999) * min(count, 12)
    yield from (rng.randbytes(rng.randrange(40)) for _ in range(60))


def run(child, rng, everything):
    """Findings; a sample of the values without `everything`."""
    findings = []
    oids = [int(row[0]) for row in child.run("select oid from pg_type order by 1").rows] + [0, 1, 114, 2950, 3802, 2**31 - 1]
    texts = [text.encode("utf-8", "surrogatepass") for kind in values.TEXTS for text in values.TEXTS[kind] if len(text) < 300]
    texts += [b"\xff\xfe", b"\xc3", b"a" * 65535, b"9" * 1000]
    seen = {}

    def check(oid, value, isBinary, sql="select $1"):
        if seen.get(oid, 0) == FINDINGS_OF_AN_OID:
            return
        answer = child.run(sql, [value], [oid], [int(isBinary)], 1)
        if answer.state in FATAL:
            seen[oid] = seen.get(oid, 0) + 1
            form = "binary" if isBinary else "text"
            findings.append(Finding(answer.state, WireShape, [f"-- parameter of oid {oid}, {form}: {value!r}", sql], answer.message))

    raw = list(raw_values(rng))
    fixed = {16, 20, 21, 23, 26, 700, 701, 1082, 1083, 1114, 1184, 1186, 1266, 1700}
    for oid in oids:
        share = 1 if everything else 0.25 if oid in fixed else 0.03
        for value in rng.sample(raw, int(len(raw) * share)):
            check(oid, value, True)
        for value in rng.sample(texts, int(len(texts) * share)):
            check(oid, value, False)
    for variant in values.FAMILY:
        # Sent as JSON text, taken as a text.
        if variant == "super":
            continue
        findings += round_trip(child, variant)
    return findings


def round_trip(child, variant):
    """A value sent back as it came in binary is the same value."""
    findings = []
    # Bytes are no text.
    as_text = "to_hex({})" if values.FAMILY[variant] == "binary varying" else "({})::varchar(65535)"
    for text in values.literals(variant):
        if len(findings) == 3:
            break
        if "repeat(" in text:
            continue
        sql = f"select {text}"
        answer = child.run(sql, [], [], [], 1)
        if answer.state:
            if answer.state in FATAL:
                findings.append(Finding(answer.state, WireShape, [sql], f"binary result: {answer.message}"))
            continue
        value, oid = answer.rows[0][0], answer.types[0]
        if value is None or oid == 1700 and value[4:6] == b"\xc0\x00":
            continue
        plain = child.run("select " + as_text.format(text))
        back = child.run("select " + as_text.format("$1"), [value], [oid], [1], 0)
        # CHAR travels with its blanks.
        if back.state or back.rows[0][0].rstrip(b" ") != plain.rows[0][0].rstrip(b" "):
            shown = back.state or back.rows[0][0]
            findings.append(Finding("differs", WireShape, [sql], f"binary {value!r} comes back as {shown!r}, not {plain.rows[0][0]!r}"))
    return findings
