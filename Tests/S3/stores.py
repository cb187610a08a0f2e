"""Object stores for the tests: a real one (SeaweedFS), and one that answers as no client would wish."""
import http.server
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

import boto3
import botocore.config

ACCESS, SECRET = "AKIAREDBARN", "se/cret+key=with&signs"


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class SeaweedFS:
    """A server with one account, on loopback, in a folder of its own."""

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        config = os.path.join(folder, "s3.json")
        with open(config, "w", encoding="utf-8") as file:
            file.write('{"identities":[{"name":"redbarn","credentials":[{"accessKey":"%s","secretKey":"%s"}],'
                       '"actions":["Admin","Read","Write","List","Tagging"]}]}' % (ACCESS, SECRET))
        port = free_port()
        ports = [f"-{name}.port={free_port()}" for name in ("master", "volume", "filer")]
        # Their second ports follow from the first by adding 10,000, which may be above the last one.
        ports += [f"-{name}.port.grpc={free_port()}" for name in ("master", "volume", "filer", "s3")]
        self.endpoint = f"http://127.0.0.1:{port}"
        self.log = open(os.path.join(folder, "log"), "wb")
        self.process = subprocess.Popen(
            [os.path.join(os.path.dirname(sys.executable), "weed"), "server", f"-dir={folder}", "-ip=127.0.0.1",
             "-ip.bind=127.0.0.1", "-master.telemetry=false", "-s3.port.iceberg=0", "-s3.port.lance=0",
             "-master.volumeSizeLimitMB=1024", "-volume.max=16", "-s3",
             f"-s3.port={port}", f"-s3.config={config}", *ports], stdout=self.log, stderr=self.log,
            env={**os.environ, "WEED_S3_SSE_KEY": "redbarn"})
        self.client = client(self.endpoint)
        deadline = time.monotonic() + 60
        while True:
            try:
                self.client.create_bucket(Bucket="lake")
                self.client.put_object(Bucket="lake", Key="ready", Body=b"")
                self.client.delete_object(Bucket="lake", Key="ready")
                return
            except Exception:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    with open(self.log.name, encoding="utf-8", errors="replace") as text:
                        print(text.read()[-2000:])
                    raise
                time.sleep(0.2)

    def keys(self, prefix=""):
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket="lake", Prefix=prefix)
        return [entry["Key"] for page in pages for entry in page.get("Contents", [])]

    def put(self, key, body):
        self.client.put_object(Bucket="lake", Key=key, Body=body)

    def get(self, key):
        return self.client.get_object(Bucket="lake", Key=key)["Body"].read()

    def unfinished(self):
        return [entry["Key"] for entry in self.client.list_multipart_uploads(Bucket="lake").get("Uploads", [])]

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


def client(endpoint):
    return boto3.client(
        "s3", endpoint_url=endpoint, aws_access_key_id=ACCESS, aws_secret_access_key=SECRET, region_name="us-east-1",
        config=botocore.config.Config(
            s3={"addressing_style": "path"}, retries={"max_attempts": 1}, connect_timeout=2, read_timeout=60))


def listing(keys, token=None):
    contents = "".join(f"<Contents><Key>{key}</Key><Size>{size}</Size></Contents>" for key, size in keys)
    more = f"<IsTruncated>true</IsTruncated><NextContinuationToken>{token}</NextContinuationToken>" if token else ""
    return f"<?xml version='1.0'?><ListBucketResult xmlns='x'>{contents}{more}</ListBucketResult>".encode()


def failure(code, message, more=""):
    return f"<Error><Code>{code}</Code><Message>{message}</Message>{more}<RequestId>R1</RequestId></Error>".encode()


class HostileStore:
    """What it does depends on the bucket: a method `bucket_NAME(handler, key, query)` for each."""
    DATA = b"".join(b"%d,row\n" % number for number in range(100_000))

    def __init__(self):
        store = self
        self.counts, self.lock = {}, threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                url = urllib.parse.urlsplit(self.path)
                bucket, _, key = urllib.parse.unquote(url.path)[1:].partition("/")
                length = int(self.headers.get("Content-Length") or 0)
                self.rfile.read(length)
                getattr(store, "bucket_" + bucket)(self, key, dict(urllib.parse.parse_qsl(url.query, True)))

            do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = handle_any

            def answer(self, status, body=b"", **headers):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def part(self, data, **headers):
                first, last = (int(text) for text in self.headers["Range"].split("=")[1].split("-"))
                self.answer(206, data[first:last + 1], ETag='"e"', **headers)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def count(self, what):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1
            return self.counts[what]

    def stop(self):
        self.server.shutdown()

    def list_or_read(self, handler, key):
        if key:
            handler.part(self.DATA)
        else:
            handler.answer(200, listing([("a.csv", len(self.DATA))]))

    def bucket_fine(self, handler, key, query):
        self.list_or_read(handler, key)

    def bucket_storm(self, handler, key, query):
        """Every request is refused twice."""
        if self.count((key, handler.headers.get("Range"))) % 3:
            handler.answer(503, failure("SlowDown", "Please reduce your request rate."))
        else:
            self.list_or_read(handler, key)

    def bucket_down(self, handler, key, query):
        handler.answer(503, failure("SlowDown", "Please reduce your request rate."))

    def bucket_proxy(self, handler, key, query):
        handler.answer(502, b"<html><body>Bad Gateway")

    def bucket_twice(self, handler, key, query):
        if key:
            handler.part(self.DATA)
        else:
            handler.answer(200, listing([("a.csv", len(self.DATA)), ("a.csv", len(self.DATA))]))

    def bucket_endless(self, handler, key, query):
        handler.answer(200, listing([("a.csv", 1)], token="again"))

    def bucket_elsewhere(self, handler, key, query):
        handler.answer(301, failure("PermanentRedirect", "Use the endpoint."), x_amz_bucket_region="eu-central-1",
                       Location=f"{self.endpoint}/fine/")

    def bucket_expired(self, handler, key, query):
        handler.answer(400, failure("ExpiredToken", "The provided token has expired."))

    def bucket_changing(self, handler, key, query):
        if key and handler.headers.get("If-Match"):
            handler.answer(412, failure("PreconditionFailed", "At least one precondition failed."))
        elif key:
            handler.part(self.DATA * 40)
        else:
            handler.answer(200, listing([("a.csv", 30 << 20)]))

    # An object of many blocks: the first is asked for alone, one answer brings the others.
    LONG_COPIES = 20

    def long_object(self, handler, key, odd):
        """`odd(first, last)` answers what is larger than a block."""
        if not key:
            return handler.answer(200, listing([("a.csv", len(self.DATA) * self.LONG_COPIES)]))
        self.count(("long", handler.path.split("/")[1]))
        data = self.DATA * self.LONG_COPIES
        first, last = (int(text) for text in handler.headers["Range"].split("=")[1].split("-"))
        if last - first > 2 << 20:
            return odd(data, first, last)
        handler.part(data)

    def bucket_long(self, handler, key, query):
        self.long_object(handler, key, lambda data, first, last: handler.part(data))

    def bucket_breaking(self, handler, key, query):
        """Long answers break off in the middle of a block."""
        def cut(data, first, last):
            handler.send_response(206)
            handler.send_header("Content-Length", str(last - first + 1))
            handler.end_headers()
            handler.wfile.write(data[first:first + (5 << 20) + 4321])
            handler.close_connection = True
        self.long_object(handler, key, cut)

    def bucket_stingy(self, handler, key, query):
        """Long answers are refused."""
        self.long_object(handler, key, lambda *_: handler.answer(503, failure("SlowDown", "Please slow down.")))

    def bucket_generous(self, handler, key, query):
        """Who asks for much gets everything, from the beginning."""
        self.long_object(handler, key, lambda data, first, last: handler.answer(200, data, ETag='"e"'))

    def bucket_shrunk(self, handler, key, query):
        if key:
            handler.part(self.DATA[:5000])
        else:
            handler.answer(200, listing([("a.csv", len(self.DATA))]))

    def bucket_cut(self, handler, key, query):
        """Less comes than was announced."""
        if not key:
            return self.list_or_read(handler, key)
        handler.send_response(206)
        handler.send_header("Content-Length", str(len(self.DATA)))
        handler.end_headers()
        handler.wfile.write(self.DATA[:1000])
        handler.close_connection = True

    def bucket_flood(self, handler, key, query):
        """More comes than was asked for."""
        if not key:
            return handler.answer(200, listing([("a.csv", 1000)]))
        handler.answer(206, self.DATA)

    def bucket_silent(self, handler, key, query):
        if not key:
            return self.list_or_read(handler, key)
        time.sleep(60)

    def bucket_laughs(self, handler, key, query):
        entities = "".join(f'<!ENTITY l{n} "{"&l%d;" % (n - 1) * 10}">' for n in range(1, 10))
        handler.answer(200, f"<!DOCTYPE x [<!ENTITY l0 'ha'>{entities}]><ListBucketResult>&l9;</ListBucketResult>"
                       .encode())

    def bucket_deep(self, handler, key, query):
        handler.answer(200, b"<a>" * 100_000)

    def bucket_garbage(self, handler, key, query):
        handler.answer(200, bytes(range(256)) * 100)

    def bucket_hole(self, handler, key, query):
        handler.close_connection = True
        handler.connection.shutdown(socket.SHUT_RDWR)


class Moto:
    """moto's server, which gives keys of roles and keeps buckets. What it is asked stands in its log."""

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        port = free_port()
        self.endpoint = f"http://127.0.0.1:{port}"
        self.path = os.path.join(folder, "log")
        self.log = open(self.path, "wb")
        self.process = subprocess.Popen(
            [os.path.join(os.path.dirname(sys.executable), "moto_server"), "-H", "127.0.0.1", "-p", str(port)],
            stdout=self.log, stderr=self.log)
        self.client = client(self.endpoint)
        deadline = time.monotonic() + 60
        while True:
            try:
                self.client.create_bucket(Bucket="lake")
                return
            except Exception:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise
                time.sleep(0.2)

    def asked(self, word):
        """Requests with the word, decoded."""
        self.log.flush()
        with open(self.path, encoding="utf-8", errors="replace") as text:
            return [urllib.parse.unquote(line) for line in text if word in line]

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
