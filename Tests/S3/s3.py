#!/usr/bin/env python3
"""COPY and UNLOAD against S3: a real server (SeaweedFS, started here), and one that fails in every way.

    Tests/S3/s3.py .build/release/redbarn

Ends with "N passed, N failed".
"""
import argparse
import base64
import contextlib
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import psycopg

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Crash"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Fixtures/BulkTransfer/encrypted"))
from make import MASTER, opened, version1, version2  # noqa: E402
from server import Server  # noqa: E402
from stores import ACCESS, SECRET, HostileStore, Moto, SeaweedFS, free_port  # noqa: E402

KEYS = f"access_key_id '{ACCESS}' secret_access_key '{SECRET}'"


class Trials:
    def __init__(self):
        self.passed = self.failed = 0

    @contextlib.contextmanager
    def trial(self, name):
        try:
            yield
            self.passed += 1
            print(f"ok      {name}", flush=True)
        except Exception as error:
            self.failed += 1
            print(f"FAILED  {name}: {type(error).__name__} {error}", flush=True)


def value(connection, sql):
    return connection.execute(sql).fetchone()[0]


def refused(connection, sql, *words):
    """The error's text has all the words."""
    try:
        connection.execute(sql)
    except psycopg.Error as error:
        text = f"{error.sqlstate} {error} {error.diag.message_detail or ''} {error.diag.message_hint or ''}"
        missing = [word for word in words if word not in text]
        assert not missing, f"{missing} not in: {text}"
        return
    raise AssertionError("not refused: " + sql[:100])


def start(redbarn, folder, name, *arguments):
    own = os.path.join(folder, name)
    os.makedirs(own)
    server = Server(redbarn, own, "--slices", "2", *arguments)
    server.start()
    return server


def real_store(trials, redbarn, folder):
    store = SeaweedFS(os.path.join(folder, "weed"))
    roles = os.path.join(folder, "roles")
    with open(roles, "w", encoding="utf-8") as file:
        file.write(f"[arn:aws:iam::123456789012:role/Loader]\naws_access_key_id = {ACCESS}\n"
                   f"aws_secret_access_key = {SECRET}\n")
    server = start(redbarn, folder, "real", "--s3-endpoint", store.endpoint, "--s3-roles", roles, "--memory", "200MB")
    try:
        connection = server.connect()
        connection.execute("create table t(a int, b varchar(40), c decimal(12,2), d timestamp)")
        connection.execute(
            "insert into t select n, 'row '||n||' ä', n*1.25, timestamp '2026-01-01' + n * interval '1 minute' "
            "from generate_series(1, 1000) g(n)")
        loading(trials, connection, store)
        formats(trials, connection, store)
        replacing(trials, connection, store)
        large(trials, connection, store)
        encrypted(trials, connection, store)
        refusals(trials, connection, store)
        cancelled(trials, server, store)
        wrangler(trials, server, store)
    finally:
        server.process.terminate()
        server.process.wait(30)
        store.stop()


def loading(trials, connection, store):
    connection.execute("create table two(a int, b varchar(20))")

    def load(location, options=""):
        connection.execute("delete from two")
        connection.execute(f"copy two from '{location}' {KEYS} csv {options}")
        return connection.execute("select a, b from two order by a, b").fetchall()

    with trials.trial("names of all kinds"):
        names = ["a b", "a+b", "a%20b", "ä漢", "a&b=c?d", "it's", "x//y", "(1),[2]{3}", "~t-u_v.w", "*!"]
        for number, name in enumerate(names):
            store.put(f"names/{number}/{name}.csv", f"{number},{number}\n".encode())
            quoted = name.replace("'", "''")
            assert load(f"s3://lake/names/{number}/{quoted}.csv") == [(number, str(number))], name
        assert len(load("s3://lake/names/")) == len(names)
    with trials.trial("a prefix over several pages of a list"):
        for number in range(1205):
            store.put(f"pages/{number:04}", f"{number},x\n".encode())
        assert load("s3://lake/pages/") == [(number, "x") for number in range(1205)]
        assert len(load("s3://lake/pages/11")) == 100
    with trials.trial("a manifest"):
        entries = [{"url": f"s3://lake/pages/{number:04}", "mandatory": True} for number in (3, 5)]
        store.put("some.manifest", json.dumps({"entries": entries + [{"url": "s3://lake/none"}]}).encode())
        assert load("s3://lake/some.manifest", "manifest") == [(3, "x"), (5, "x")]
        entries[0]["meta"] = {"content_length": 99}
        store.put("wrong.manifest", json.dumps({"entries": entries}).encode())
        refused(connection, f"copy two from 's3://lake/wrong.manifest' {KEYS} csv manifest", "manifest says 99")
        store.put("bad.manifest", json.dumps({"entries": [{"url": "s3://lake/none", "mandatory": True}]}).encode())
        refused(connection, f"copy two from 's3://lake/bad.manifest' {KEYS} csv manifest", "does not exist")
    with trials.trial("keys by role, and by credentials"):
        connection.execute("delete from two")
        connection.execute("copy two from 's3://lake/pages/0001' iam_role 'arn:aws:iam::123456789012:role/Loader' csv")
        connection.execute(
            f"copy two from 's3://lake/pages/0001' credentials "
            f"'aws_access_key_id={ACCESS};aws_secret_access_key={SECRET}' csv region 'us-east-1'")
        assert value(connection, "select count(*) from two") == 2
    with trials.trial("JSON paths beside the data"):
        store.put("json/data", b'{"x": {"y": 7}, "z": "seven"}')
        store.put("json/paths", b'{"jsonpaths": ["$.x.y", "$.z"]}')
        connection.execute("delete from two")
        connection.execute(f"copy two from 's3://lake/json/data' {KEYS} json 's3://lake/json/paths'")
        assert connection.execute("select * from two").fetchall() == [(7, "seven")]
    with trials.trial("keys do not show in the history"):
        shown = " ".join(row[0] for row in connection.execute("select query_text from sys_query_history").fetchall())
        assert SECRET not in shown and ACCESS not in shown and "s3://lake/json/data" in shown


def formats(trials, connection, store):
    for number, (name, unload, copy) in enumerate([
            ("text", "", ""), ("gzip", "gzip", "gzip"), ("bzip2", "bzip2", "bzip2"), ("zstd", "zstd", "zstd"),
            ("CSV", "csv header", "csv ignoreheader 1"), ("JSON", "json", "json 'auto'"), ("Parquet", "parquet", "parquet"),
            ("fixed width", "fixedwidth 'a:6,b:30,c:14,d:26'", "fixedwidth 'a:6,b:30,c:14,d:26'"),
            ("one file", "csv parallel off encrypted", "csv")]):
        with trials.trial(f"round trip: {name}"):
            connection.execute("create temp table back(like t)")
            connection.execute(f"unload ('select * from t') to 's3://lake/back{number}/x_' {KEYS} {unload}")
            connection.execute(f"copy back from 's3://lake/back{number}/' {KEYS} {copy}")
            assert value(connection, "select count(*) from (select * from t intersect select * from back) s") == 1000
            assert value(connection, "select count(*) from back") == 1000
            connection.execute("drop table back")
    with trials.trial("partitions and a manifest"):
        connection.execute(
            f"unload ('select *, a % 7 as part from t') to 's3://lake/parts/' {KEYS} csv partition by (part) "
            "manifest verbose")
        keys = store.keys("parts/")
        assert {key.split("/")[1] for key in keys} == {f"part={n}" for n in range(7)} | {"manifest"}, keys
        manifest = json.loads(store.get("parts/manifest"))
        assert manifest["meta"]["record_count"] == 1000
        sizes = {entry["url"]: entry["meta"]["content_length"] for entry in manifest["entries"]}
        assert sizes == {f"s3://lake/{key}": len(store.get(key)) for key in keys if "manifest" not in key}
    with trials.trial("more partitions than fit the memory: parts wait on disk"):
        connection.execute("create temp table wide as select a, repeat('x', 60000)::varchar(65535) b from t")
        connection.execute(
            f"unload ('select * from wide') to 's3://lake/many/' {KEYS} csv partition by (a)")
        assert len(store.keys("many/")) == 1000
        assert store.get("many/a=77/" + store.keys("many/a=77/")[0].split("/")[-1]) == b"x" * 60000 + b"\n"


def replacing(trials, connection, store):
    unload = f"unload ('select a from t where a <= %d order by a') to 's3://lake/again/x' {KEYS} csv parallel off %s"
    with trials.trial("what is there stays, or is replaced"):
        connection.execute(unload % (3, ""))
        refused(connection, unload % (4, ""), "not empty", "ALLOWOVERWRITE")
        assert store.get("again/x000") == b"1\n2\n3\n"
        connection.execute(unload % (4, "allowoverwrite"))
        assert store.get("again/x000") == b"1\n2\n3\n4\n"
        store.put("again/x_old", b"old")
        connection.execute(unload % (2, "cleanpath"))
        assert store.keys("again/") == ["again/x000"] and store.get("again/x000") == b"1\n2\n"


def large(trials, connection, store):
    text = "".join(f"{number},{'text ' * 12}{number}\n" for number in range(600_000)).encode()
    connection.execute("create table big(a int, b varchar(200))")
    expected = (600_000, sum(range(600_000)))
    for name, body, options in [("plain", text, ""), ("gzip", gzip.compress(text, 1), "gzip")]:
        with trials.trial(f"an object of {len(body) >> 20} MB: {name}"):
            store.put(f"big/{name}", body)
            connection.execute("delete from big")
            connection.execute(f"copy big from 's3://lake/big/{name}' {KEYS} csv {options}")
            assert connection.execute("select count(*), sum(a) from big").fetchone() == expected
    with trials.trial("objects of several parts"):
        connection.execute(f"unload ('select * from big order by a') to 's3://lake/big/out' {KEYS} csv parallel off")
        assert store.keys("big/out") == ["big/out000"]
        assert store.get("big/out000") == text
        assert not store.unfinished()


def encrypted(trials, connection, store):
    """Objects as AWS's encryption clients write them, made and read by Python's cryptography."""
    source = random.Random(14)
    text = "".join(f"{number},{'text ' * 12}{number}\n" for number in range(150_000)).encode()
    key = f"encrypted master_symmetric_key '{base64.b64encode(MASTER).decode()}'"

    def put(name, body, notes):
        store.client.put_object(Bucket="lake", Key=name, Body=body, Metadata=notes)

    def count(location, options=key):
        connection.execute("delete from big")
        connection.execute(f"copy big from 's3://lake/{location}' {KEYS} csv {options}")
        return connection.execute("select count(*), sum(a) from big").fetchone()

    expected = (150_000, sum(range(150_000)))
    for name, (body, notes) in {
            "v1": version1(text, MASTER, source), "v2": version2(text, MASTER, source),
            "wrapped": version2(text, MASTER, source, wrap="AESWrap")}.items():
        with trials.trial(f"encrypted by its client: {name}, {len(body) >> 20} MB"):
            put(f"sealed/{name}", body, notes)
            assert count(f"sealed/{name}") == expected
            refused(connection, f"copy big from 's3://lake/sealed/{name}' {KEYS} csv", "is encrypted by its client")
            wrong = base64.b64encode(bytes(32)).decode()
            refused(connection, f"copy big from 's3://lake/sealed/{name}' {KEYS} csv encrypted "
                    f"master_symmetric_key '{wrong}'", "22023", "not the one")
    with trials.trial("encrypted by its client: compressed, and changed"):
        body, notes = version2(gzip.compress(text, 1), MASTER, source)
        put("sealed/gz", body, notes)
        assert count("sealed/gz", key + " gzip") == expected
        body, notes = version2(text, MASTER, source)
        put("sealed/bad", body[:5_000_000] + bytes([body[5_000_000] ^ 1]) + body[5_000_001:], notes)
        refused(connection, f"copy big from 's3://lake/sealed/bad' {KEYS} csv {key}", "22000", "was changed")
    with trials.trial("encrypted by its client: instruction files"):
        body, notes = version1(b"1,one\n2,two\n", MASTER, source)
        store.put("beside/rows", body)
        store.put("beside/rows.instruction", json.dumps(notes).encode())
        store.put("beside/", b"")
        assert count("beside/") == (2, 3)
        refused(connection, f"copy big from 's3://lake/beside/' {KEYS} csv", "is encrypted by its client")
    with trials.trial("what UNLOAD encrypts, others read"):
        unload = f"unload ('select * from big order by a') to 's3://lake/mine/%s' {KEYS} csv {key} %s"
        assert count("sealed/v1") == expected
        connection.execute(unload % ("x", "parallel off manifest verbose"))
        found = store.client.get_object(Bucket="lake", Key="mine/x000")
        body = found["Body"].read()
        assert opened(body, found["Metadata"], MASTER) == text
        manifest = json.loads(store.get("mine/xmanifest"))
        assert manifest["entries"][0]["meta"] == {"content_length": len(body), "record_count": 150_000}, manifest
        connection.execute(unload % ("gz", "gzip"))
        rows = b"".join(
            gzip.decompress(opened(part["Body"].read(), part["Metadata"], MASTER)) for part in (
                store.client.get_object(Bucket="lake", Key=name) for name in store.keys("mine/gz")))
        assert sorted(rows.splitlines()) == sorted(text.splitlines())
    with trials.trial("the master key does not show in the history"):
        shown = " ".join(row[0] for row in connection.execute("select query_text from sys_query_history").fetchall())
        assert base64.b64encode(MASTER).decode() not in shown and "s3://lake/sealed/v1" in shown


def refusals(trials, connection, store):
    with trials.trial("refusals in Redshift's words"):
        refused(connection, f"copy two from 's3://lake/nothing' {KEYS} csv", "58P01", "S3 prefix 'nothing' does not exist")
        refused(connection, f"copy two from 's3://nolake/x' {KEYS} csv", "S3ServiceException", "NoSuchBucket")
        refused(connection, f"unload ('select 1') to 's3://nolake/x' {KEYS}", "S3ServiceException", "NoSuchBucket")
        refused(connection, "copy two from 's3://lake/x' access_key_id 'NOBODY' secret_access_key 'x' csv",
                "InvalidAccessKeyId", "Status 403")
        refused(connection, f"copy two from 's3://lake/x' access_key_id '{ACCESS}' secret_access_key 'x' csv",
                "SignatureDoesNotMatch", "Check the keys")
        refused(connection, "copy two from 's3://lake/x' iam_role 'arn:aws:iam::1:role/other' csv", "role/other")
        refused(connection, f"copy two from 's3:///x' {KEYS} csv", "22023", "no bucket")
        refused(connection, f"copy two from 's3://a b/x' {KEYS} csv", "22023", "no name of a bucket")
        refused(connection, f"copy two from 's3://lake/x' {KEYS} csv region 'x.evil.com/'", "22023", "no region")
        refused(connection, "copy two from 's3://lake/x' access_key_id 'a' csv", "42601", "SECRET_ACCESS_KEY")
        refused(connection, f"unload ('select 1') to 's3://lake' {KEYS}", "22023", "no key")
    with trials.trial("a failed UNLOAD leaves nothing"):
        refused(connection, f"unload ('select 1/(900-a) from t') to 's3://lake/failed/' {KEYS}", "22012")
        assert not store.keys("failed/") and not store.unfinished()


def cancelled(trials, server, store):
    with trials.trial("a cancelled UNLOAD leaves nothing"), server.connect() as connection:
        connection.execute("set statement_timeout to 1500")
        began = time.monotonic()
        refused(connection, "unload ('select a.* from big a join big b on a.a % 1000 = b.a % 1000') "
                f"to 's3://lake/cancelled/' {KEYS} csv", "57014")
        assert time.monotonic() - began < 8, time.monotonic() - began
        assert not store.keys("cancelled/") and not store.unfinished()


def wrangler(trials, server, store):
    """With the clients' environment, where it has been made."""
    python = pathlib.Path(__file__).resolve().parents[2] / ".build/clients-venv/bin/python"
    if not python.exists():
        print("no environment of clients: awswrangler is not tried")
        return
    with trials.trial("awswrangler's copy and unload"):
        variables = {"PORT": str(server.port), "AWS_ENDPOINT_URL": store.endpoint, "AWS_ACCESS_KEY_ID": ACCESS,
                     "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_DEFAULT_REGION": "us-east-1"}
        run = subprocess.run(
            [python, pathlib.Path(__file__).with_name("wrangler.py")], env={**os.environ, **variables},
            capture_output=True, text=True)
        assert run.returncode == 0, run.stderr[-1000:]


def hostile_store(trials, redbarn, folder):
    store = HostileStore()
    server = start(redbarn, folder, "hostile", "--s3-endpoint", store.endpoint, "--memory", "256MB")
    try:
        connection = server.connect()
        connection.execute("create table h(a int, b varchar(10))")

        def load(bucket):
            return f"copy h from 's3://{bucket}/' {KEYS} csv"

        for bucket in ("fine", "storm", "twice"):
            with trials.trial(f"hostile: {bucket}"):
                connection.execute("delete from h")
                connection.execute(load(bucket))
                assert value(connection, "select count(*) from h") == 100_000
        for bucket, most in (("long", 8), ("breaking", 30), ("stingy", 30), ("generous", 30)):
            with trials.trial(f"hostile: {bucket}"):
                connection.execute("truncate h")
                connection.execute(load(bucket))
                copies = HostileStore.LONG_COPIES
                assert value(connection, "select count(*) from h") == 100_000 * copies
                assert value(connection, "select sum(a::bigint) from h") == 4_999_950_000 * copies
                asked = store.counts[("long", bucket)]
                assert asked <= most, f"{asked} requests"
                connection.execute("truncate h")
        for bucket, *words in [
                ("down", "SlowDown", "5 attempts", "CanRetry 1"), ("proxy", "Status 502"), ("endless", "58030", "without end"),
                ("elsewhere", "in this region: eu-central-1", "Status 301"), ("expired", "ExpiredToken", "temporary keys"),
                ("changing", "58030", "changed while"), ("shrunk", "58030", "shorter"), ("cut", "58030", "5 attempts"),
                ("flood", "58030"), ("laughs", "58030", "XML"), ("deep", "58030", "XML"), ("garbage", "58"),
                ("hole", "58030", "5 attempts")]:
            with trials.trial(f"hostile: {bucket}"):
                connection.execute("delete from h")
                refused(connection, load(bucket), *words)
                assert value(connection, "select count(*) from h") == 0
        with trials.trial("hostile: a store that says nothing, and a time limit"):
            connection.execute("set statement_timeout to 1000")
            began = time.monotonic()
            refused(connection, load("silent"), "57014")
            assert time.monotonic() - began < 5
            connection.execute("set statement_timeout to 0")
        with trials.trial("hostile: the server has survived"):
            assert "event=death" not in server.log() and value(connection, "select 1") == 1
    finally:
        server.process.terminate()
        server.process.wait(30)
        store.stop()


def assumed_roles(trials, redbarn, folder):
    """Roles by STS: moto gives keys for each, and takes what is signed with them."""
    store = Moto(os.path.join(folder, "moto"))
    keys = {"AWS_ACCESS_KEY_ID": ACCESS, "AWS_SECRET_ACCESS_KEY": SECRET}
    os.environ.update(keys)
    server = start(redbarn, folder, "assuming", "--s3-endpoint", store.endpoint, "--sts-endpoint", store.endpoint)
    nobody = f"http://127.0.0.1:{free_port()}"
    deaf = start(redbarn, folder, "deaf", "--s3-endpoint", store.endpoint, "--sts-endpoint", nobody)
    for name in keys:
        del os.environ[name]
    try:
        store.client.put_object(Bucket="lake", Key="r/1", Body=b"1\n2\n")
        arn = "arn:aws:iam::123456789012:role/"
        copy = f"copy r from 's3://lake/r/' iam_role '{arn}%s'"
        connection = server.connect()
        connection.execute("create table r(a int)")
        with trials.trial("roles: a chain is assumed one after the other, once"):
            for _ in range(3):
                connection.execute(copy % f"one,{arn}two")
            assert value(connection, "select count(*) from r") == 6
            asked = store.asked("Action=AssumeRole")
            assert [line.split("RoleArn=")[1].split("&")[0] for line in asked] == [arn + "one", arn + "two"], asked
        with trials.trial("roles: UNLOAD, and another role"):
            connection.execute(f"unload ('select * from r') to 's3://lake/out/x' iam_role '{arn}one' parallel off")
            assert store.client.get_object(Bucket="lake", Key="out/x000")["Body"].read() == b"1\n2\n" * 3
            connection.execute(copy % "three")
            assert len(store.asked("Action=AssumeRole")) == 3
        with trials.trial("roles: default, and none, are the server's own keys"):
            connection.execute("copy r from 's3://lake/r/' iam_role default")
            connection.execute("copy r from 's3://lake/r/'")
            assert len(store.asked("Action=AssumeRole")) == 3
        with trials.trial("roles: what is refused"):
            refused(connection, "copy r from 's3://lake/r/' iam_role 'me'", "22023", "no ARN of a role")
            other = deaf.connect()
            other.execute("create table r(a int)")
            refused(other, copy % "one", "58030", "STS cannot be reached")
            assert value(other, "select count(*) from r") == 0
    finally:
        for one in (server, deaf):
            one.process.terminate()
            one.process.wait(30)
        store.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("redbarn")
    options = parser.parse_args()
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    trials = Trials()
    with tempfile.TemporaryDirectory(prefix="redbarn-s3-") as folder:
        os.environ["HOME"] = folder
        hostile_store(trials, options.redbarn, folder)
        assumed_roles(trials, options.redbarn, folder)
        real_store(trials, options.redbarn, folder)
    print(f"{trials.passed} passed, {trials.failed} failed")
    return 1 if trials.failed else 0


if __name__ == "__main__":
    sys.exit(main())
