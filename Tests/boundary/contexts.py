"""The contexts: the same calls as constants, in columns small and large, in groups, joins and windows. All must agree."""
from trials import BIG, FATAL, INCOMPARABLE, TABLE, equal

BIG_ROWS = 70_000
# Two steps with an error each: which comes first is open.
STEPS = {"convert_timezone", "-"}
# Constants are brought to a common type before NULL is looked at.
LAZY = {"is distinct from", "is not distinct from", "nvl2", "iif", "decode", "coalesce", "nvl", "case", "case of", "and", "or",
        "in", "between", "between symmetric"}


def run(trial):
    """All contexts of a trial; its findings and calls are in the trial afterwards."""
    kind = trial.shape.kind
    if not trial.variants:
        trial.fatal_check([f"select {trial.wrapped(trial.shape.template)}" if kind != "table" else f"select count(*) from {trial.shape.template}"])
        trial.calls += 1
    elif kind == "table":
        pools = [trial.pool(place) for place in range(len(trial.variants))]
        for _ in range(trial.width or 200):
            row = [trial.rng.choice(pool).split("::")[0] for pool in pools]
            trial.fatal_check([f"select count(*) from {trial.expression(row)}"])
            trial.calls += 1
    else:
        {"aggregate": aggregate, "window": window}.get(kind, scalar)(trial)


def scalar(trial):
    rows = trial.rows()
    if not rows:
        return
    answers = []
    for start in range(0, len(rows), 50):
        answers += trial.constants(rows[start:start + 50])
    good = [(row, value) for row, (state, value) in zip(rows, answers) if state is None]
    bad = [(row, state) for row, (state, _) in zip(rows, answers) if state not in FATAL and state not in (None, *INCOMPARABLE)]
    columns(trial, unmoved(good))
    errors(trial, unmoved(bad))


def is_moved(part):
    """Tables hold TIMETZ in UTC, as Redshift's do: a constant with another offset is not what a column of
    it is."""
    return "::timetz" in part and "+00'" not in part


def unmoved(pairs):
    return [(row, value) for row, value in pairs if not any(is_moved(part) for part in row)]


def columns(trial, good):
    if not good or not trial.load([(0, good[0][0])]) or not trial.find_constant_places(good[0][0], True):
        return
    for chosen in partitions(trial, good):
        if not trial.load([(index, row) for index, (row, _) in enumerate(chosen)]):
            continue
        text = trial.expression(trial.column_arguments(chosen[0][0]))
        chosen = without_nulls_that_fail(trial, chosen, text)
        if not chosen:
            continue
        wanted = [value for _, value in chosen]
        tests = [rows_test, groups_test, join_test, window_test, filter_test, mixed_test]
        for test in tests:
            test(trial, chosen, wanted, text)
        if is_condition(trial, wanted):
            predicate_test(trial, chosen, TABLE, 1)
        short = [pair for pair in chosen if not any("repeat(" in part for part in pair[0])]
        if short and (trial.width is None or trial.rng.random() < 0.3):
            big_test(trial, short, text)


def without_nulls_that_fail(trial, chosen, text):
    """A NULL beside a value that is an error is NULL or that error, whichever is looked at first."""
    if trial.child.run(f"select {text} from {TABLE}").state in (None, *FATAL, *INCOMPARABLE):
        return chosen
    isLazy = trial.shape.name in LAZY
    rest = [(row, value) for row, value in chosen if not is_loose(row, None if isLazy else value)]
    if not rest or len(rest) == len(chosen):
        return rest
    return rest if trial.load([(index, row) for index, (row, _) in enumerate(rest)]) else []


def is_loose(row, value):
    return value is None and any(part.startswith("null::") for part in row)


def partitions(trial, good):
    """Rows that share the literals of the places that must be constant."""
    if not trial.constant_places:
        return [good]
    shared = {}
    for row, value in good:
        shared.setdefault(tuple(row[place] for place in sorted(trial.constant_places)), []).append((row, value))
    lists = sorted(shared.values(), key=len, reverse=True)
    return lists if trial.width is None else lists[:4]


# What the leader does alone is refused over tables.
OF_LEADER = ("is not supported in queries over tables", "must be a valid UTF-8 literal")


def is_of_sketch(answer):
    """HLLSKETCH has neither order nor equality, and its aggregates run over no window."""
    return answer.state in ("42883", "0A000") and ("hllsketch" in answer.message or answer.message.startswith("hll"))


def ask(trial, chosen, sql, title):
    """The rows of a query over the table, or None after an error, which none of the constants had."""
    answer = trial.child.run(sql)
    trial.calls += len(chosen)
    if answer.state is None:
        return answer.rows
    if answer.state in INCOMPARABLE or answer.state == "0A000" and any(text in answer.message for text in OF_LEADER):
        return None
    if is_of_sketch(answer):
        return None
    reduce(trial, chosen, sql, answer.state if answer.state in FATAL else "differs", f"{title}: {answer.state} {answer.message}",
           lambda again, part: again.state is not None)
    return None


def reduce(trial, chosen, sql, kind, note, is_failing):
    """Reports the first single row that fails so, or all."""
    everything = chosen
    for row, value in chosen if len(chosen) > 1 else []:
        if not trial.load([(0, row)]):
            continue
        if is_failing(trial.child.run(sql), [(row, value)]):
            chosen = [(row, value)]
            break
    else:
        trial.load([(index, row) for index, (row, _) in enumerate(chosen)])
    statements = trial.definition([(index, row) for index, (row, _) in enumerate(chosen)]) + [sql]
    trial.report(kind, statements, note)
    trial.load([(index, row) for index, (row, _) in enumerate(everything)])


def compare_rows(trial, chosen, sql, title):
    """Of a query whose columns are i and the value."""
    found = ask(trial, chosen, sql, title)
    if found is None:
        return
    def wrong(rows, pairs):
        values = {int(row[0]): row[1] for row in rows}
        return next((index for index, (_, value) in enumerate(pairs)
                     if index not in values or not equal(values[index], value)), None)
    index = wrong(found, chosen)
    if index is None:
        return
    row, value = chosen[index]
    again = trial.constants([row])[0]
    if again != (None, value):
        return  # Volatile.
    shown = next((line[1] for line in found if int(line[0]) == index), "no row")
    note = f"{title}: {shown!r}, as a constant {value!r}: {trial.expression(row)}"
    reduce(trial, [chosen[index], *chosen], sql, "differs", note,
           lambda answer, pairs: answer.state is None and wrong(answer.rows, pairs) is not None)
    trial.load([(index, row) for index, (row, _) in enumerate(chosen)])


def rows_test(trial, chosen, wanted, text):
    compare_rows(trial, chosen, f"select i, {text} from {TABLE} order by i", "column")


def window_test(trial, chosen, wanted, text):
    frame = "over (partition by i order by i rows between unbounded preceding and current row)"
    compare_rows(trial, chosen, f"select i, first_value({text}) {frame} from {TABLE}", "window argument")


def is_stable(trial, chosen):
    """The constants have not changed meanwhile, as 'now' does."""
    return trial.constants([row for row, _ in chosen]) == [(None, value) for _, value in chosen]


def same_group(left, right):
    """Trailing blanks do not tell texts apart."""
    return equal(left, right) or left is not None and right is not None and left.rstrip(b" ") == right.rstrip(b" ")


def groups_test(trial, chosen, wanted, text):
    found = ask(trial, chosen, f"select {text}, count(*) from {TABLE} group by 1 having count(*) > 0 order by 1", "group by")
    if found is None:
        return
    unknown = [row[0] for row in found if not any(same_group(row[0], value) for value in wanted)]
    if unknown or sum(int(row[1]) for row in found) != len(chosen):
        if is_stable(trial, chosen):
            reduce(trial, chosen, f"select {text}, count(*) from {TABLE} group by 1", "differs", f"group by: {unknown[:2]} is no value of the constants",
                   lambda answer, pairs: answer.state is None and not any(same_group(answer.rows[0][0], value) for _, value in pairs))


def counted(trial, chosen, sql, title, wanted):
    found = ask(trial, chosen, sql, title)
    if found is None or int(found[0][0]) == wanted:
        return
    if is_stable(trial, chosen):
        reduce(trial, chosen, sql, "differs", f"{title}: count {found[0][0].decode()} for {wanted}",
               lambda answer, pairs: answer.state is None and int(answer.rows[0][0]) != sum(value is not None for _, value in pairs))


def filter_test(trial, chosen, wanted, text):
    counted(trial, chosen, f"select count(*) from {TABLE} where ({text}) is not null", "where", sum(value is not None for value in wanted))


def join_test(trial, chosen, wanted, text):
    sides = [trial.expression(trial.column_arguments(chosen[0][0], prefix)) for prefix in ("x.", "y.")]
    sql = f"select count(*) from {TABLE} x join {TABLE} y on x.i = y.i and ({sides[0]}) = ({sides[1]})"
    counted(trial, chosen, sql, "join", sum(value is not None for value in wanted))


def mixed_test(trial, chosen, wanted, text):
    """Columns beside constants, which kernels have own loops for."""
    places = [place for place in range(len(trial.variants)) if place not in trial.constant_places]
    if len(places) < 2:
        return
    for _ in range(4 if trial.width else 40):
        index = trial.rng.randrange(len(chosen))
        row, value = chosen[index]
        arguments = trial.column_arguments(row)
        place = trial.rng.choice(places)
        arguments[place] = row[place]
        sql = f"select {trial.expression(arguments)} from {TABLE} where i = {index}"
        answer = trial.child.run(sql)
        trial.calls += 1
        if answer.state in INCOMPARABLE:
            continue
        if answer.state is None and len(answer.rows) == 1 and equal(answer.rows[0][0], value):
            continue
        if answer.state not in (None, *FATAL) and is_loose(row, value):
            continue
        if trial.constants([row])[0] != (None, value):
            return
        statements = trial.definition([(index, row)]) + [sql]
        shown = answer.state or (answer.rows[0][0] if answer.rows else "no row")
        trial.report(answer.state if answer.state in FATAL else "differs", statements,
                     f"column beside a constant: {shown!r} {answer.message}, as a constant {value!r}")
        trial.load([(index, row) for index, (row, _) in enumerate(chosen)])
        return


def create_big(trial, times):
    return f"create table {BIG}{trial.design} as select c.* from {TABLE} c cross join (select n from bn where n < {times})"


def big_test(trial, chosen, text):
    """Many times the same rows: dictionaries, narrow codes, evaluation over domains, groups by look-up."""
    if not trial.load([(index, row) for index, (row, _) in enumerate(chosen)]):
        return
    times = BIG_ROWS // len(chosen) + 1
    for statement in (f"drop table if exists {BIG}",
                      create_big(trial, times)):
        if trial.child.run(statement).state:
            return
    for title, sql in (("large table", f"select i, v, count(*) from (select i, {text} as v from {BIG}) group by 1, 2"),
                       ("large groups", f"select min(i), v, count(*) from (select i, {text} as v from {BIG}) group by 2")):
        answer = trial.child.run(sql)
        trial.calls += len(chosen)
        statements = trial.definition(list(enumerate(row for row, _ in chosen))) + [
            create_big(trial, times), sql]
        if answer.state in INCOMPARABLE:
            return
        if answer.state:
            trial.report(answer.state if answer.state in FATAL else "differs", statements, f"{title}: {answer.message}")
            return
        total = sum(int(row[2]) for row in answer.rows)
        wrong = next((row for row in answer.rows if not same_group(row[1], chosen[int(row[0])][1])), None)
        if wrong or total != times * len(chosen):
            row, value = chosen[int(wrong[0])] if wrong else chosen[0]
            if trial.constants([row])[0] == (None, value):
                note = f"{title}: {wrong[1]!r}, as a constant {value!r}: {trial.expression(row)}" if wrong else f"{title}: {total} rows"
                trial.report("differs", statements, note)
            return
    if is_condition(trial, [value for _, value in chosen]):
        predicate_test(trial, chosen, BIG, times)


def predicate_test(trial, chosen, table, times):
    """A truth value as the condition of a scan, a column beside constants: zone maps, codes, dictionaries decide."""
    places = [place for place in range(len(trial.variants)) if place not in trial.constant_places]
    for _ in range(2 if trial.width else 10):
        row = trial.rng.choice(chosen)[0]
        place = trial.rng.choice(places)
        tried = [row[:place] + (other[place],) + row[place + 1:] for other, _ in chosen]
        answers = trial.constants(tried)
        if any(state for state, _ in answers):
            continue
        arguments = list(row)
        arguments[place] = f"a{place}"
        sql = f"select i, count(*) from {table} where {trial.expression(arguments)} group by 1 order by 1"
        answer = trial.child.run(sql)
        trial.calls += len(chosen)
        wanted = [(index, times) for index, (_, value) in enumerate(answers) if value == b"t"]
        if answer.state in INCOMPARABLE or answer.state not in (None, *FATAL) and any(value is None for _, value in answers):
            continue
        if answer.state is None and [(int(line[0]), int(line[1])) for line in answer.rows] == wanted:
            continue
        statements = trial.definition(list(enumerate(other for other, _ in chosen)))
        if table == BIG:
            statements.append(create_big(trial, times))
        found = [(int(line[0]), int(line[1])) for line in answer.rows or []]
        note = f"condition: {answer.state} {answer.message}, rows {found[:20]} for {wanted[:20]}"
        trial.report(answer.state if answer.state in FATAL else "differs", statements + [sql], note)
        return


def is_condition(trial, wanted):
    return trial.shape.kind != "aggregate" and set(wanted) <= {b"t", b"f", None} and b"t" in wanted


def errors(trial, bad):
    """What is an error as a constant is the same error in a column."""
    picks = bad if trial.width is None else trial.rng.sample(bad, min(len(bad), max(1, trial.width // 6)))
    for row, state in picks:
        if not trial.load([(0, row)]) or not trial.find_constant_places(row, False):
            continue
        sql = f"select {trial.expression(trial.column_arguments(row))} from {TABLE} where i = 0"
        answer = trial.child.run(sql)
        trial.calls += 1
        # A branch that is not taken may fail as a constant.
        if answer.state is None and (trial.shape.name in LAZY or is_loose(row, answer.rows[0][0])):
            continue
        if trial.shape.name in STEPS and answer.state is not None and answer.state[:2] == state[:2]:
            continue
        if answer.state != state and answer.state not in INCOMPARABLE:
            shown = answer.state or f"value {answer.rows[0][0] if answer.rows else None!r}"
            trial.report(answer.state if answer.state in FATAL else "differs", trial.definition([(0, row)]) + [sql],
                         f"column: {shown} {answer.message}, as a constant {state}")


def aggregate(trial):
    rows = trial.rows()
    answers = []
    for start in range(0, len(rows), 50):
        answers += trial.constants(rows[start:start + 50])
    good = unmoved([(row, value) for row, (state, value) in zip(rows, answers) if state is None])
    if not good or not trial.load([(0, good[0][0])]) or not trial.find_constant_places(good[0][0], True):
        return
    for chosen in partitions(trial, good):
        if not trial.load([(index, row) for index, (row, _) in enumerate(chosen)]):
            continue
        text = trial.expression(trial.column_arguments(chosen[0][0]))
        compare_rows(trial, chosen, f"select i, {text} from {TABLE} group by i order by i", "groups")
        compare_rows(trial, chosen, f"select i, {text} from {TABLE} group by i having ({text}) is not null or true order by 2", "having")
        if "distinct" not in trial.shape.name and trial.shape.name != "approximate":
            compare_rows(trial, chosen, f"select i, {text} over (partition by i) from {TABLE}", "window")
        whole(trial, chosen, text)


def whole(trial, chosen, text):
    """Over all rows at once: with and without groups and as a window, small and large."""
    statements = trial.definition(list(enumerate(row for row, _ in chosen)))
    plain = trial.fatal_check(statements + [f"select {text} from {TABLE}"])
    trial.calls += len(chosen)
    others = [f"select {text} from {TABLE} group by i < 0", f"select {text} from (select * from {TABLE} order by i desc) {TABLE}"]
    if "distinct" not in trial.shape.name and trial.shape.name != "approximate":
        others.append(f"select {text} over () from {TABLE} limit 1")
    for sql in others:
        answer = trial.fatal_check([sql])
        if plain.state or answer.state in INCOMPARABLE | FATAL or trial.shape.name in ("any_value", "listagg", "string_agg", "listagg distinct"):
            continue
        if is_of_sketch(answer):
            continue
        # Sums of floating point depend on the order.
        isFloat = any(variant in ("real", "double precision") for variant in trial.variants) or plain.types[0] in (700, 701)
        if answer.state or not isFloat and not equal(answer.rows[0][0], plain.rows[0][0]):
            shown = answer.state or answer.rows[0][0]
            trial.report("differs", statements + [sql], f"{shown!r} {answer.message}, without groups {plain.rows[0][0]!r}")
    short = [pair for pair in chosen if not any("repeat(" in part for part in pair[0])]
    if short and trial.load([(index, row) for index, (row, _) in enumerate(short)]):
        trial.fatal_check([f"drop table if exists {BIG}",
                           create_big(trial, BIG_ROWS // len(short) + 1),
                           f"select i, {text} from {BIG} group by i"])
        trial.fatal_check([f"select {text} from {BIG}"])


FRAMES = ["over (order by i)", "over (partition by i % 3 order by i desc)", "over ()",
          "over (order by i rows between unbounded preceding and unbounded following)",
          "over (partition by i % 2 order by i rows between 2147483647 preceding and 9223372036854775807 following)",
          "over (order by i rows between 1 preceding and 1 following)"]


def window(trial):
    pools = [trial.pool(place) for place in range(len(trial.variants))]
    rows = [tuple(trial.rng.choice(pool) for pool in pools) for _ in range(trial.width or 100)]
    if not trial.load(list(enumerate(rows))):
        return
    statements = trial.definition(list(enumerate(rows)))
    for row in rows[:trial.width and 8]:
        for places in [set()] + [{place} for place in range(len(row))] + [set(range(1, len(row)))]:
            trial.constant_places = places
            sql = f"select i, {trial.expression(trial.column_arguments(row))} {trial.rng.choice(FRAMES)} from {TABLE}"
            answer = trial.child.run(sql)
            trial.calls += len(rows)
            if answer.state in FATAL:
                trial.report(answer.state, statements + [sql], answer.message)
                return
