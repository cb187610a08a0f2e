#!/usr/bin/env python3
"""Workload management of a real server: slots, time limits, rules, priorities, short queries, locks, configurations.

    Tests/Workload/wlm.py .build/release/redbarn                # half a minute
    Tests/Workload/wlm.py .build/release/redbarn --long         # 200 clients for five minutes, larger joins

Every check counts what the system tables say against what the clients did.
"""
import argparse
import contextlib
import json
import os
import random
import subprocess
import tempfile
import threading
import time

import psycopg

passed = failed = 0
# Times may be so many times as long: on machines with other work.
slack = 1.0


def check(what, holds, detail=""):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
    print(f"{'ok' if holds else 'FAIL'}: {what}{'' if holds else ': ' + str(detail)}", flush=True)


class Server:
    def __init__(self, binary, configuration=None, folder=None, memory="1GB"):
        self.scratch = folder or tempfile.mkdtemp(prefix="redbarn-wlm-")
        arguments = [binary, "serve", os.path.join(self.scratch, "warehouse"), "--dev", "--port", "0", "--memory", memory,
                     "--workers", "2", "--slices", "2", "--no-restart"]
        if configuration is not None:
            path = os.path.join(self.scratch, "wlm.json")
            with open(path, "w") as file:
                file.write(configuration if isinstance(configuration, str) else json.dumps(configuration))
            arguments += ["--wlm", path]
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.port = None
        self.said = []
        for line in self.process.stdout:
            self.said.append(line)
            if "port=" in line:
                self.port = int(line.split("port=")[1].split()[0])
                break
        threading.Thread(target=lambda: [None for _ in self.process.stdout], daemon=True).start()

    def connect(self, user="dev", **settings):
        connection = psycopg.connect(
            host="127.0.0.1", port=self.port, user=user, dbname="dev", password="x", autocommit=True, sslmode="disable")
        connection.prepare_threshold = None
        # Statements are to run however often they come.
        connection.execute("set enable_result_cache_for_session to off")
        for name, value in settings.items():
            connection.execute(f"set {name} to '{value}'")
        return connection

    def resident(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS:"))

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


@contextlib.contextmanager
def serving(binary, configuration=None, **options):
    server = Server(binary, configuration, **options)
    try:
        yield server
    finally:
        server.stop()


# 40,000 x 40,000 pairs: some seconds, and cancelled at once.
SLOW = "select count(*) from n a join n b on a.i <> b.i and a.i % 7 < b.i % 11"
TABLE = "create table n as select g as i, g % 100 as k from generate_series(1, {0}) g"


class Statement(threading.Thread):
    """Runs in the background; what it came to."""

    def __init__(self, connection, text):
        super().__init__(daemon=True)
        self.connection, self.text = connection, text
        self.error = self.rows = None
        self.seconds = 0.0
        self.start()

    def join(self, timeout):
        super().join(timeout * slack)

    def run(self):
        begin = time.monotonic()
        try:
            cursor = self.connection.execute(self.text)
            self.rows = cursor.fetchall() if cursor.description else []
        except psycopg.Error as error:
            self.error = error
        self.seconds = time.monotonic() - begin


def cancel(connection):
    with contextlib.suppress(psycopg.Error):
        connection.cancel()


def value(connection, query):
    return connection.execute(query).fetchone()[0]


def until(condition, seconds=10.0):
    deadline = time.monotonic() + seconds * slack
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.01)
    return False


def slots(binary):
    configuration = [{"name": "etl", "query_group": ["etl*"], "query_group_wild_card": 1, "query_concurrency": 2,
                      "memory_percent_to_use": 40},
                     {"query_concurrency": 3, "memory_percent_to_use": 60}, {"short_query_queue": False}]
    with serving(binary, configuration) as server:
        watch = server.connect(query_group="superuser")
        watch.execute(TABLE.format(40_000))
        rows = watch.execute("select service_class, num_query_tasks, query_working_mem, name from "
                             "stv_wlm_service_class_config order by 1").fetchall()
        check("service classes", [(r[0], r[1], r[3].strip()) for r in rows] == [
            (5, 1, "Service class for super user"), (6, 2, "etl"), (7, 3, "Default queue"),
            (15, -1, "Service class for background maintenance")], rows)
        check("memory of a slot", rows[1][2] == 204 and rows[2][2] == 204, rows)
        running = [Statement(server.connect(query_group="etl_" + str(n)), SLOW) for n in range(4)]
        state = "select count(*) from stv_wlm_query_state where service_class = 6 and state like '{0}%'"
        check("two of four run", until(lambda: value(watch, state.format("Running")) == 2 and value(watch, state.format("Queued")) == 2))
        check("position in the queue", watch.execute(
            "select position from stv_wlm_query_queue_state where service_class = 6 order by 1").fetchall() == [(1,), (2,)])
        check("its history says queued", value(watch, "select count(*) from sys_query_history where status = 'queued'") == 2)
        other = server.connect()
        begin = time.monotonic()
        other.execute("select count(*) from n").fetchall()
        check("another queue does not wait", time.monotonic() - begin < 1 * slack)
        check("catalogs do not wait", value(server.connect(query_group="etl_9"), "select count(*) from pg_class") > 0)
        wide = server.connect(query_group="etl_w", wlm_query_slot_count="3")
        try:
            wide.execute("select count(*) from n")
            check("more slots than there are", False)
        except psycopg.Error as error:
            check("more slots than there are", "wlm_query_slot_count is 3" in str(error), error)
        check("and STL_WLM_ERROR says so", value(watch, "select count(*) from stl_wlm_error") == 1)
        waiting = [s for s in running if value(watch, f"select count(*) from stv_wlm_query_queue_state q join stv_sessions s on true "
                                               f"where s.process = {s.connection.info.backend_pid} and q.query in (select query_id from "
                                               f"sys_query_history where session_id = s.process and status = 'queued')")]
        check("who waits is known by session", len(waiting) == 2, waiting)
        begin = time.monotonic()
        waiting[0].connection.cancel()
        waiting[0].join(5)
        check("a waiting statement is cancelled at once", waiting[0].error is not None and time.monotonic() - begin < 0.5 * slack,
              waiting[0].error)
        waiting[1].connection.close()
        check("a client that goes leaves the queue", until(lambda: value(watch, state.format("Queued")) == 0))
        limited = server.connect(query_group="etl_t", statement_timeout="200")
        timed = Statement(limited, SLOW)
        timed.join(5)
        check("statement_timeout ends waiting", timed.error is not None and timed.seconds < 1 * slack, timed.seconds)
        for statement in running:
            with contextlib.suppress(psycopg.Error):
                statement.connection.cancel()
        for statement in running:
            statement.join(10)
        check("no slot is lost", until(lambda: value(
            watch, "select sum(num_executing_queries) + sum(num_queued_queries) from stv_wlm_service_class_state where service_class <> 5") == 0))


def timeouts(binary):
    configuration = [{"name": "first", "query_group": ["a"], "query_concurrency": 1, "max_execution_time": 300},
                     {"name": "second", "query_group": ["a", "b"], "query_concurrency": 1},
                     {"query_concurrency": 2}, {"short_query_queue": False}]
    with serving(binary, configuration) as server:
        watch = server.connect(query_group="superuser")
        watch.execute(TABLE.format(8_000))
        watch.execute("create table m as select n.* from n, generate_series(1, 12)")
        watch.execute("create table w as select m.* from m, generate_series(1, 3)")
        expected = 12 * value(watch, SLOW)
        hopped = Statement(server.connect(query_group="a"), SLOW.replace("from n a", "from m a"))
        hopped.join(60)
        check("a statement hops and goes on", hopped.error is None and hopped.rows[0][0] == expected, hopped.error)
        check("it ended in the second queue", value(watch, "select service_class from stl_wlm_query where query = (select max(query) from "
                                                    "stl_wlm_query where service_class <> 5)") == 7)
        blocker = Statement(server.connect(query_group="b"), SLOW.replace("from n a", "from w a"))
        until(lambda: value(watch, "select count(*) from stv_wlm_query_state where service_class = 7") == 1)
        again = Statement(server.connect(query_group="a"), SLOW.replace("from n a", "from m a"))
        again.join(120)
        blocker.join(120)
        check("where no slot is free it begins again", again.error is None and again.rows == hopped.rows, again.error)
        change = Statement(server.connect(query_group="a"), "create table made as " + SLOW.replace("from n a", "from m a"))
        change.join(60)
        check("CREATE TABLE AS hops too", change.error is None, change.error)
        update = Statement(server.connect(query_group="a"), "update n set k = (" + SLOW.replace("from n a", "from m a") + ")")
        update.join(60)
        check("an UPDATE is cancelled", update.error is not None and update.error.sqlstate == "57014", update.error)


def rules(binary):
    configuration = [{"query_concurrency": 5, "rules": [
        {"rule_name": "cross", "predicate": [{"metric_name": "nested_loop_join_row_count", "operator": ">", "value": 1_000_000}], "action": "abort"},
        {"rule_name": "big_result", "predicate": [{"metric_name": "return_row_count", "operator": ">", "value": 100}], "action": "log"},
        {"rule_name": "scans", "predicate": [{"metric_name": "scan_row_count", "operator": ">", "value": 10_000}], "action": "log"}]}]
    with serving(binary, configuration) as server:
        session = server.connect()
        session.execute(TABLE.format(200_000))
        before = value(session, "select count(*) from stl_wlm_rule_action where rule = 'scans'")
        begin = time.monotonic()
        try:
            session.execute("select count(*) from n a join n b on a.i <> b.i and a.k + b.k > 3 join n c on a.k <> c.k")
            check("a cross join is stopped", False)
        except psycopg.Error as error:
            took = time.monotonic() - begin
            check("a cross join is stopped within a second of its limit", took < 1.5 * slack, took)
            check("with Redshift's words", "cancelled by WLM abort action of Query Monitoring Rule \"cross\"" in str(error), error)
        query = value(session, "select query from stl_wlm_rule_action where rule = 'cross'")
        check("STL_WLM_RULE_ACTION tells it once", session.execute(
            f"select trim(action), service_class from stl_wlm_rule_action where query = {query} and rule = 'cross'").fetchall() == [("abort", 6)])
        session.execute("select i from n where i <= 500").fetchall()
        check("short statements are logged at their end", until(lambda: value(
            session, "select count(*) from stl_wlm_rule_action where rule = 'big_result'") == 1))
        check("rows scanned are counted", value(session, "select count(*) from stl_wlm_rule_action where rule = 'scans'") > before)
        summary = session.execute("select scan_row_count, return_row_count from svl_query_metrics_summary where query = "
                                  "(select max(query) from stl_wlm_rule_action where rule = 'big_result')").fetchone()
        check("SVL_QUERY_METRICS_SUMMARY agrees", 500 <= summary[0] <= 200_000 and summary[1] == 500, summary)
        check("STV_WLM_QMR_CONFIG", value(session, "select count(*) from stv_wlm_qmr_config") == 3)


def locks(binary):
    configuration = [{"query_concurrency": 1}, {"short_query_queue": False}]
    with serving(binary, configuration) as server:
        watch = server.connect(query_group="superuser")
        watch.execute("create table t (a int)")
        watch.execute(TABLE.format(3_000))
        holder = server.connect()
        holder.execute("begin")
        holder.execute("insert into t values (1)")
        waiter = Statement(server.connect(), "update t set a = a + 1")
        check("a writer waits for the lock without its slot", until(lambda: value(
            watch, "select count(*) from stv_locks") >= 1) and until(lambda: value(
                watch, "select count(*) from stv_wlm_query_state where state = 'QueuedWaiting'") == 1))
        begin = time.monotonic()
        value(holder, "select count(*) from n")
        check("who has the lock gets the only slot", time.monotonic() - begin < 5 * slack)
        holder.execute("commit")
        waiter.join(10)
        check("then the writer goes on", waiter.error is None and value(watch, "select sum(a) from t") == 2, waiter.error)


def short_and_priorities(binary):
    with serving(binary) as server:
        session = server.connect()
        session.execute(TABLE.format(30_000))
        check("automatic by default", value(session, "select count(*) from stv_wlm_service_class_config where service_class >= 100") == 1)
        session.execute("select count(*) from n where i = 5").fetchall()
        check("a short query runs in class 14", value(
            session, "select service_class from stl_wlm_query where query = pg_last_query_id()") == 14)
        check("SYS_QUERY_HISTORY says so", session.execute(
            "select trim(short_query_accelerated), trim(query_priority), service_class_id from sys_query_history "
            "where query_text like '%i = 5%' and status = 'success'").fetchone() == ("true", "normal", 14))
        slow = Statement(server.connect(), SLOW)
        until(lambda: value(session, "select count(*) from stv_wlm_query_state where service_class = 100") == 1)
        query = value(session, "select query from stv_wlm_query_state where service_class = 100")
        text = value(session, f"select change_query_priority({query}, 'critical')")
        check("CHANGE_QUERY_PRIORITY", text == f"Succeeded to change query priority. Priority of query {query} is set to Critical", text)
        check("and it shows", value(session, f"select trim(query_priority) from stv_wlm_query_state where query = {query}") == "Critical")
        metrics = session.execute(f"select cpu_time > 0, rows > 0 from stv_query_metrics where query = {query} and segment = -1").fetchone()
        check("STV_QUERY_METRICS of what runs", metrics == (True, True), metrics)
        session.execute("create user plain password 'Secret123'")
        try:
            plain = server.connect()
            plain.execute("set session authorization plain")
            plain.execute("select change_user_priority('dev', 'low')")
            check("plain users change no priorities", False)
        except psycopg.Error as error:
            check("plain users change no priorities", "superuser" in str(error), error)
        slow.connection.cancel()
        slow.join(10)


def configurations(binary):
    folder = tempfile.mkdtemp(prefix="redbarn-wlm-")
    manual = [{"name": "etl", "query_group": ["etl"], "query_concurrency": 2}, {"query_concurrency": 3}]
    with serving(binary, manual) as server:
        session = server.connect()
        try:
            session.execute("alter system set wlm_json_configuration to '[{\"query_concurrency\": 51}]'")
            check("a wrong configuration is refused", False)
        except psycopg.Error as error:
            check("a wrong configuration is refused", "line 1, column" in str(error), error)
        check("and the old one stays", value(session, "select count(*) from stv_wlm_service_class_config where service_class = 6") == 1)
    server = Server(binary, folder=folder)
    session = server.connect()
    notices = []
    session.add_notice_handler(lambda notice: notices.append(notice.message_primary))
    session.execute("alter system set wlm_json_configuration to '" + json.dumps(manual) + "'")
    check("what is static waits for a restart", len(notices) >= 1 and value(
        session, "select count(*) from stv_wlm_service_class_config where service_class = 6") == 0, notices)
    check("SHOW shows what was set", json.loads(value(session, "show wlm_json_configuration")) == manual)
    server.stop()
    server = Server(binary, folder=folder)
    session = server.connect()
    check("it is there after the restart", value(session, "select num_query_tasks from stv_wlm_service_class_config where service_class = 6") == 2)
    manual[0]["query_concurrency"] = 4
    session.execute("alter system set wlm_json_configuration to '" + json.dumps(manual) + "'")
    check("slots change at once", value(session, "select num_query_tasks from stv_wlm_service_class_config where service_class = 6") == 4)
    session.execute("create user somebody password 'Secret123'")
    for text in ["alter system reset wlm_json_configuration", "alter system set max_concurrency_scaling_clusters to 3"]:
        try:
            plain = server.connect()
            plain.execute("set session authorization somebody")
            plain.execute(text)
            check("plain users change nothing", False)
        except psycopg.Error as error:
            check("plain users change nothing", error.sqlstate == "42501", error)
    server.stop()


def scaling(binary):
    configuration = [{"query_concurrency": 1, "concurrency_scaling": "auto"}, {"short_query_queue": False}]
    with serving(binary, configuration) as server:
        watch = server.connect(query_group="superuser")
        watch.execute(TABLE.format(40_000))
        running = [Statement(server.connect(), SLOW) for _ in range(8)]
        check("five go to the extra cluster", until(lambda: value(
            watch, "select num_concurrency_scaling_queries from stv_wlm_service_class_state where service_class = 6") == 5))
        check("and two wait", value(watch, "select count(*) from stv_wlm_query_queue_state") == 2)
        for statement in running:
            statement.connection.cancel()
        for statement in running:
            statement.join(10)
        check("STL_QUERY marks them", until(lambda: value(
            watch, "select count(*) from stl_query where concurrency_scaling_status = 1") >= 5))
        check("SVCS_CONCURRENCY_SCALING_USAGE", value(watch, "select sum(queries) from svcs_concurrency_scaling_usage") >= 5)
        limits = "alter system set concurrency_scaling_usage_limits to '{0}'"
        watch.execute(limits.format("daily 0.0001 log, daily 0.0001 disable, monthly 100000 disable"))
        reached = watch.execute("select trim(usage_limit_id), trim(feature_type) from stl_usage_control order by 1").fetchall()
        check("what was used reaches new limits", reached == [
            ("daily 0.0001 disable", "CONCURRENCY_SCALING"), ("daily 0.0001 log", "CONCURRENCY_SCALING")], reached)
        running = [Statement(server.connect(), SLOW) for _ in range(3)]
        check("disabled: two of three wait", until(lambda: value(watch, "select count(*) from stv_wlm_query_queue_state") == 2))
        watch.execute("alter system reset concurrency_scaling_usage_limits")
        check("enabled: nobody waits", until(lambda: value(watch, "select count(*) from stv_wlm_query_queue_state") == 0))
        watch.execute(limits.format("weekly 0.001 disable"))
        for statement in running:
            statement.connection.cancel()
        for statement in running:
            statement.join(10)
        check("statements reach limits", until(lambda: value(
            watch, "select count(*) from stl_usage_control where usage_limit_id like 'weekly%'") == 1))


def returning(binary):
    """Who sends rows is left alone by time limits, and begins again nowhere."""
    configuration = [{"query_group": ["q"], "query_concurrency": 2, "max_execution_time": 1000},
                     {"query_group": ["q"], "query_concurrency": 1}, {"query_concurrency": 2, "max_execution_time": 1000},
                     {"short_query_queue": False}]
    rows = 400_000
    with serving(binary, configuration) as server:
        watch = server.connect(query_group="superuser")
        watch.execute(f"create table wide as select g as i, repeat('x', 200) || g as b from generate_series(1, {rows}) g")
        watch.execute("create table n as select g as i, g % 100 as k from generate_series(1, 40000) g")

        def drain(connection, pause):
            count = 0
            with connection.cursor() as cursor:
                for _ in cursor.stream("select i, b from wide"):
                    if count == 0:
                        time.sleep(pause)
                    count += 1
            return count

        try:
            count = drain(server.connect(), 2.5)
        except psycopg.Error as error:
            count = error
        check("a slow reader gets all rows behind max_execution_time", count == rows, count)
        busy = Statement(server.connect(query_group="q"), SLOW)
        until(lambda: value(watch, "select num_executing_queries from stv_wlm_service_class_state where service_class = 7") == 1)
        lines = 0
        with server.connect(query_group="q").cursor().copy("copy (select i, b from wide) to stdout") as copied:
            for number, data in enumerate(copied):
                if number == 0:
                    time.sleep(2.5)
                lines += bytes(data).count(b"\n")
        check("COPY TO STDOUT sends every row once", lines == rows, lines)
        cancel(busy.connection)
        busy.join(10)
        client = server.connect(query_group="q", wlm_query_slot_count="2")
        statement = Statement(client, SLOW)
        time.sleep(2)
        check("a hop into a smaller queue takes the slots that it has", until(lambda: value(
            watch, "select count(*) from stv_wlm_query_state where service_class = 7 and slot_count = 1") == 1), statement.error)
        cancel(client)
        statement.join(10)
        with server.connect().cursor().copy("copy n from stdin") as copied:
            pass
        check("COPY FROM STDIN of nothing", value(watch, "select count(*) from n") == 40_000)


def justice(binary):
    """What a statement cannot help is not held against it."""
    rule = {"rule_name": "slow", "predicate": [{"metric_name": "query_execution_time", "operator": ">", "value": 2}],
            "action": "abort"}
    with serving(binary, [{"auto_wlm": True, "rules": [rule]}, {"short_query_queue": False}]) as server:
        first, second, watch = server.connect(), server.connect(), server.connect(query_group="superuser")
        watch.execute(TABLE.format(1_000))
        first.execute("begin")
        first.execute("lock n")
        waiting = Statement(second, "update n set k = k + 1")
        time.sleep(4)
        first.execute("commit")
        waiting.join(20)
        check("waiting for a lock is no execution", waiting.error is None, waiting.error)
        ran = value(watch, "select max(total_exec_time) from stl_wlm_query w join stl_query q on q.query = w.query "
                           "where q.querytxt like 'update n%'")
        check("and STL_WLM_QUERY says so", ran < 2_000_000, ran)
    with serving(binary, [{"query_concurrency": 5, "max_execution_time": 1000}, {"short_query_queue": False}]) as server:
        first, second, watch = server.connect(), server.connect(), server.connect(query_group="superuser")
        watch.execute(TABLE.format(40_000))
        first.execute("begin")
        first.execute("lock n")
        waiting = Statement(second, f"update n set k = ({SLOW})")
        time.sleep(2)
        first.execute("commit")
        begin = time.monotonic()
        waiting.join(15)
        check("a time limit holds behind a lock, too", waiting.error is not None and time.monotonic() - begin < 3 * slack,
              (waiting.error, time.monotonic() - begin))
    with serving(binary, [{"auto_wlm": True}, {"short_query_queue": False}]) as server:
        watch = server.connect(query_group="superuser")
        watch.execute(TABLE.format(40_000))
        critical = [server.connect() for _ in range(2)]
        for connection in critical:
            watch.execute(f"select change_session_priority({connection.info.backend_pid}, 'critical')")
        running = [Statement(connection, SLOW) for connection in critical]
        state = "select count(*) from stv_wlm_query_state where query_priority = 'Critical' and state like '{0}%'"
        check("one CRITICAL statement runs, the next one waits", until(lambda: value(
            watch, state.format("Running")) == 1 and value(watch, state.format("Queued")) == 1))
        usual = Statement(server.connect(), "select count(*) from n where k < 10")
        usual.join(3)
        check("the usual ones do not wait for it", not usual.is_alive() and usual.error is None)
        for connection in critical:
            cancel(connection)
        for statement in running:
            statement.join(10)


def many_settings(binary):
    """Changes of the configuration by many at the same time."""
    with serving(binary) as server:
        errors = []

        def change(number):
            connection = server.connect()
            for _ in range(40):
                try:
                    priority = "low" if number % 2 else "highest"
                    connection.execute("alter system set wlm_json_configuration to "
                                       f"'[{{\"auto_wlm\": true, \"priority\": \"{priority}\"}}]'")
                except psycopg.Error as error:
                    errors.append(str(error))

        threads = [threading.Thread(target=change, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        check("no change fails", not errors, errors[:2])
        watch = server.connect()
        shown = value(watch, "show wlm_json_configuration")
        path = os.path.join(server.scratch, "warehouse", "system", "wlm_json_configuration")
        with open(path) as file:
            check("file and session say the same", file.read() == shown, shown)
        applied = value(watch, "select query_priority from stv_wlm_service_class_config where service_class = 100")
        check("and so do the queues", applied.strip().lower() in shown, (applied, shown))
        folder = server.scratch
    with open(path, "w") as file:
        file.write('[{"query_concurency": 5}]')
    with serving(binary, folder=folder) as server:
        watch = server.connect()
        check("a damaged configuration does not close the warehouse", value(watch, "select 1") == 1)
        check("and STL_WLM_ERROR names it", value(
            watch, "select count(*) from stl_wlm_error where error_string like '%wlm_json_configuration is not used%'") == 1)


def loads(binary):
    """COPY and VACUUM wait while more urgent statements are owed more."""
    configuration = [{"name": "urgent", "query_group": ["urgent*"], "query_group_wild_card": 1, "priority": "highest"},
                     {"name": "loads", "query_group": ["loads"], "priority": "lowest"}, {"auto_wlm": True},
                     {"short_query_queue": False}]
    with serving(binary, configuration) as server:
        watch = server.connect(query_group="superuser")
        watch.execute(TABLE.format(40_000))
        path = os.path.join(server.scratch, "rows.txt")
        with open(path, "w") as file:
            for block in range(20):
                file.write("".join(f"{block}|{n}|{'some text ' * 4}{n % 1_000}\n" for n in range(100_000)))
        watch.execute("create table loaded (a int, b int, c varchar(100)) sortkey (c)")
        watch.execute("create table scattered (a int, b int, c varchar(100)) sortkey (c)")
        for _ in range(2):
            watch.execute(f"copy scattered from '{path}' delimiter '|' compupdate off statupdate off")
        watch.execute("create table wide as select * from scattered")
        for what, text in [("COPY", f"copy loaded from '{path}' delimiter '|' compupdate off statupdate off"),
                           ("VACUUM", "vacuum full scattered to 100 percent")]:
            label = f"urgent {what.lower()}"
            ended = threading.Event()
            client = server.connect(query_group=label)

            def stream():
                # Many short morsels: who takes long over one is not waited for.
                while not ended.is_set():
                    client.execute("select count(*) from wide where c like '%7%8%' or b % 977 = 3").fetchall()

            urgent = threading.Thread(target=stream, daemon=True)
            urgent.start()
            until(lambda: value(watch, f"select count(*) from stl_query where label = '{label}'") > 2)
            done = "select nvl(sum(m.cpu_time), 0) from stl_query_metrics m join stl_query q on q.query = m.query " \
                   f"where m.segment = -1 and q.label = '{label}'"
            before = value(watch, done)
            other = Statement(server.connect(query_group="loads"), text)
            lowest, deadline = 0, time.monotonic() + 4
            while other.is_alive() and time.monotonic() < deadline:
                rows = watch.execute("select m.cpu_time from stv_query_metrics m join stv_wlm_query_state q on q.query = m.query "
                                     "where m.segment = -1 and q.query_priority ilike 'lowest%'").fetchall()
                lowest = max([lowest] + [time for time, in rows])
                time.sleep(0.02)
            highest = value(watch, done) - before
            # By weight it is 16 times as much; what a task has begun it ends.
            check(f"{what} of LOWEST leaves the processor to HIGHEST", highest > 3 * lowest, (highest, lowest, other.error))
            check("and does not stop", lowest > 0, lowest)
            ended.set()
            urgent.join(60)
            other.join(120)
            check(f"{what} ends well", other.error is None, other.error)
        check("with all rows", value(watch, "select count(*) from loaded") == 2_000_000)
        check("and none twice", watch.execute("select count(*), count(distinct a * 100000 + b) from scattered").fetchone()
              == (4_000_000, 2_000_000))


def heavy_joins(binary, rows, rounds):
    """Eight slots of joins whose tables are larger than a slot's memory."""
    configuration = [{"query_concurrency": 8}, {"short_query_queue": False}]
    memory = 1 << 30
    with serving(binary, configuration, memory="1GB") as server:
        watch = server.connect(query_group="superuser")
        for name in ("a", "b"):
            watch.execute(f"create table {name} as select g as i, g % 1000 as k, repeat('{name}', 100) || g as s "
                          f"from generate_series(1, {rows}) g")
        sums, texts, counts = [0] * 1_000, [0] * 1_000, [0] * 1_000
        for i in range(1, rows + 1):
            k = i % 1_000
            counts[k] += 1
            sums[k] += i + k
            texts[k] += 200 + 2 * len(str(i))
        peak = [0]
        done = threading.Event()

        def look():
            while not done.is_set():
                peak[0] = max(peak[0], server.resident())
                time.sleep(0.02)

        looker = threading.Thread(target=look)
        looker.start()
        running = value(watch, "select count(*) from stv_wlm_query_state where service_class = 6")
        wrong, errors = [], []
        connections = [server.connect() for _ in range(8)]
        for turn in range(rounds):
            statements = [
                Statement(connection, "select count(*), sum(a.i + b.k), sum(len(a.s) + len(b.s)) from a join b on a.i = b.i "
                                      f"where b.k <> {number + 8 * turn}") for number, connection in enumerate(connections)]
            until(lambda: any(not s.is_alive() for s in statements) or value(
                watch, "select count(*) from stv_wlm_query_state where service_class = 6 and state like 'Running%'") == 8)
            running = max(running, value(
                watch, "select count(*) from stv_wlm_query_state where service_class = 6 and state like 'Running%'"))
            for number, statement in enumerate(statements):
                statement.join(600)
                left = number + 8 * turn
                expected = tuple(sum(column) - column[left] for column in (counts, sums, texts))
                if statement.error:
                    errors.append(statement.error)
                elif tuple(int(v) for v in statement.rows[0]) != expected:
                    wrong.append((left, statement.rows, expected))
        done.set()
        looker.join()
        check("eight ran at a time", running == 8, running)
        check("no error", not errors, errors[:2])
        check("right answers", not wrong, wrong[:1])
        spilled = value(watch, "select count(*) from svl_query_metrics_summary where query_temp_blocks_to_disk > 0")
        check("their tables had no room", spilled >= 8, spilled)
        check("resident under 1.15 GB", peak[0] < 1.15 * memory, peak[0] / memory)
        print(f"    at most {peak[0] / memory:.3f} of 1 GB resident", flush=True)


def many_clients(binary, clients, seconds):
    configuration = [{"query_concurrency": 5}, {"short_query_queue": False}]
    with serving(binary, configuration) as server:
        watch = server.connect(query_group="superuser")
        watch.execute(TABLE.format(2_000))
        watch.execute("create table log (a int, b varchar(20))")

        def reserved():
            accounts = dict(watch.execute("select trim(account), bytes from stv_process_memory").fetchall())
            return accounts["reserved"] - accounts["cache"] - accounts["results"], accounts["temporary"]

        reserved()
        before = reserved()
        done = [0] * clients
        wrong = []
        deadline = time.monotonic() + seconds

        def client(number):
            chance = random.Random(number)
            connection = None
            while time.monotonic() < deadline:
                try:
                    connection = connection or server.connect(statement_timeout=str(chance.choice([0, 0, 300, 5_000])))
                    what = chance.random()
                    if what < 0.5:
                        if value(connection, "select count(*) from n where k < 50") != 1_000:
                            wrong.append(number)
                    elif what < 0.7:
                        connection.execute(f"insert into log values ({number}, 'x')")
                    elif what < 0.8:
                        connection.execute("select 1 / (i - i) from n")
                    elif what < 0.95:
                        threading.Timer(chance.random() / 5, cancel, [connection]).start()
                        connection.execute(SLOW)
                    else:
                        connection.execute("begin")
                        connection.execute(f"insert into log values ({number}, 'block')")
                        connection.execute("select count(*) from n").fetchall()
                        connection.close()
                        connection = None
                except psycopg.Error:
                    if connection is not None and (connection.closed or chance.random() < 0.1):
                        connection.close()
                        connection = None
                done[number] += 1

        threads = [threading.Thread(target=client, args=(n,), daemon=True) for n in range(clients)]
        for thread in threads:
            thread.start()
        most = 0
        while time.monotonic() < deadline:
            most = max(most, value(watch, "select count(*) from stv_wlm_query_task_state where service_class = 6"))
            time.sleep(0.1)
        for thread in threads:
            thread.join(60)
        check("every client ended", not any(thread.is_alive() for thread in threads))
        check("nobody was forgotten", min(done) > 0, sorted(done)[:5])
        check("never more than five ran, and five did", most == 5, most)
        check("right answers", not wrong, wrong[:5])
        check("no slot is lost", until(lambda: value(
            watch, "select sum(num_executing_queries) + sum(num_queued_queries) from stv_wlm_service_class_state where service_class <> 5") == 0))
        check("no byte of memory is lost", until(lambda: reserved() == before), (before, reserved()))
        check("no session is left", until(lambda: value(watch, "select count(*) from stv_sessions") == 1))
        print(f"    {sum(done)} statements of {clients} clients in {seconds} s", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("redbarn")
    arguments.add_argument("--long", action="store_true", help="200 clients for five minutes, larger joins")
    arguments.add_argument("--only", default="", help="groups, with commas between them")
    arguments.add_argument("--light", action="store_true",
                           help="without the groups whose work takes minutes in a slow build")
    arguments.add_argument("--slack", type=float, default=1.0, help="times may be so many times as long")
    options = arguments.parse_args()
    global slack
    slack = options.slack
    binary = os.path.abspath(options.redbarn)
    chosen = set(filter(None, options.only.split(",")))
    heavy = {"timeouts", "returning", "loads", "heavy_joins"} if options.light else set()

    def wanted(name):
        return name not in heavy and (not chosen or name in chosen)

    for part in [slots, timeouts, rules, locks, short_and_priorities, configurations, scaling, returning, justice,
                 many_settings, loads]:
        if not wanted(part.__name__):
            continue
        print(f"== {part.__name__}", flush=True)
        part(binary)
    if wanted("heavy_joins"):
        print("== heavy_joins", flush=True)
        heavy_joins(binary, 4_000_000 if options.long else 1_200_000, 3 if options.long else 1)
    if wanted("many_clients"):
        print("== many_clients", flush=True)
        many_clients(binary, 200 if options.long else 60, 300 if options.long else 6)
    print(f"{passed} passed, {failed} failed")
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
