"""What an operator sees: the log's lines, the connection log, /metrics, and the dashboard that is made for it."""
import json
import os
import pathlib
import re
import ssl
import subprocess
import tempfile
import time
import urllib.request

import pg8000.dbapi
import psycopg
import redshift_connector

from expectations import check

here = pathlib.Path(__file__).parent
folder = tempfile.mkdtemp()
users = pathlib.Path(folder, "users.conf")
users.write_text("ann:Secret123\ndev:Secret123\n")
users.chmod(0o600)
log = open(f"{folder}/log", "w")
server = subprocess.Popen(
    [os.environ["REDBARN"], "serve", f"{folder}/w", "--users", str(users), "--port", "0", "--http-port", "0",
     "--host", "127.0.0.1", "--no-restart"], stderr=log)


def lines():
    return pathlib.Path(folder, "log").read_text().splitlines()


def fields(line):
    return {name: (quoted or bare) for name, quoted, bare in re.findall(r'(\w+)=(?:"((?:[^"\\]|\\.)*)"|(\S+))', line)}


def events(name):
    return [fields(line) for line in lines() if fields(line).get("event") == name]


def wait(name):
    for _ in range(100):
        if events(name):
            return events(name)[-1]
        time.sleep(0.1)
    raise SystemExit(f"no event {name}")


def connect(**options):
    place = {"host": "127.0.0.1", "port": port, "user": "ann", "password": "Secret123", "dbname": "dev", "sslmode": "require"}
    return psycopg.connect(**{**place, **options}, connect_timeout=10)


def trusting(certificate):
    os.environ["SSL_CERT_FILE"] = certificate
    return ssl.create_default_context(cafile=certificate)


def refused(text, **options):
    try:
        connect(**options).close()
    except psycopg.OperationalError as error:
        check(True, text in str(error), f"{error} says {text}")
        return
    raise SystemExit(f"let in: {options}")


try:
    listening = wait("listening")
    port, http = int(listening["port"]), int(listening["http_port"])
    check(True, listening["certificate"].endswith("server/server.crt"), "the certificate is named")
    refused('password authentication failed for user "ann"', password="wrong")
    refused('password authentication failed for user "nobody"', user="nobody")
    refused('database "nope" does not exist', dbname="nope")
    refused("sslmode=require", sslmode="disable")
    refused("certificate verify failed", sslmode="verify-full", sslrootcert="/etc/ssl/certs/ca-certificates.crt")
    connect(sslmode="verify-full", sslrootcert=listening["certificate"], host="localhost").close()
    trusting(listening["certificate"])
    for driver in (redshift_connector, pg8000.dbapi):
        place = {"host": "127.0.0.1", "port": port, "user": "ann", "password": "Secret123", "database": "dev"}
        encryption = {} if driver is redshift_connector else {"ssl_context": trusting(listening["certificate"])}
        driver.connect(**place, **encryption).close()
    seen = events("login_refused")
    check(["28P01", "28P01", "3D000", "28000"], [event["sqlstate"] for event in seen], "refused logins")
    check(["ann", "nobody", "ann", "ann"], [event["user"] for event in seen], "users of refused logins")
    check(["TLSv1.3"] * 3 + ["off"], [event["tls"] for event in seen], "encryption of refused logins")
    check(True, "root certificate" in wait("tls_failed")["hint"], "why TLS failed")
    check(False, any("wrong" in line or "Secret" in line for line in lines()), "no password in the log")
    with connect(user="dev", autocommit=True) as connection:
        rows = connection.execute(
            "select trim(event), trim(username), trim(dbname) from stl_connection_log where event not like '%session%'"
            " and event <> 'authenticated' order by recordtime").fetchall()
        check(
            [("authentication failure", "ann", "dev"), ("authentication failure", "nobody", "dev"),
             ('refused: database "nope" does not exist', "ann", "nope")], rows[:3], "STL_CONNECTION_LOG")
        check(4, len(rows), "refusals in STL_CONNECTION_LOG")
        check(True, rows[3][0].startswith("refused: no pg_hba.conf entry"), "plain connection")
        for _ in range(2):
            try:
                connection.execute("select 1 / 0")
            except psycopg.Error as error:
                check("22012", error.sqlstate, "division")
        page = urllib.request.urlopen(f"http://127.0.0.1:{http}/metrics").read().decode()
        values = dict(line.rsplit(" ", 1) for line in page.splitlines() if not line.startswith("#"))
        check("2", values["redbarn_logins_failed_total"], "failed logins")
        check("2", values['redbarn_errors_by_state_total{sqlstate="22012"}'], "errors by state")
        check("1", values['redbarn_sessions{state="idle"}'], "sessions")
        for name in ("memory_bytes{account=\"resident\"}", "memory_bytes{account=\"cache\"}", "disk_free_bytes", "disk_size_bytes"):
            check(True, int(values[f"redbarn_{name}"]) >= 0, name)
    names = {line.split()[2] for line in page.splitlines() if line.startswith("# TYPE")}
    dashboard = json.loads((here / "../../scripts/service/grafana.json").read_text())
    asked = set()
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            asked |= set(re.findall(r"redbarn_\w+", target["expr"]))
    check(True, len(asked) > 15, "the dashboard asks for metrics")
    unknown = {name for name in asked if name not in names and re.sub(r"_(bucket|sum|count)$", "", name) not in names}
    check(set(), unknown, "metrics of the dashboard that there are not")
finally:
    server.terminate()
    server.wait()
