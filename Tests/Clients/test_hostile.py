"""Broken clients: the server answers with an error or closes, and goes on serving the others."""
import os
import random
import socket
import struct

from expectations import PORT, check


def connect():
    return socket.create_connection(("127.0.0.1", PORT), timeout=5)


def message(kind, body):
    return kind + struct.pack("!i", len(body) + 4) + body


def startup():
    body = struct.pack("!i", 196608) + b"user\0dev\0database\0dev\0\0"
    return struct.pack("!i", len(body) + 4) + body


def read_until_ready(client):
    data = b""
    while not data.endswith(b"Z\0\0\0\5I"):
        more = client.recv(65536)
        if not more:
            raise SystemExit("closed before ready: %r" % data[-80:])
        data += more
    return data


def is_alive():
    with connect() as client:
        client.sendall(startup())
        read_until_ready(client)
        client.sendall(message(b"Q", b"select 7\0"))
        check(True, b"\0\0\0\x017" in read_until_ready(client), "alive")


random.seed(1)
for garbage in (b"\0", b"\0\0\0\4", b"\xff" * 64, b"GET / HTTP/1.1\r\n\r\n", b"\0\0\0\x08\x04\xd2\x16\x2f" + startup()):
    with connect() as client:
        client.sendall(garbage)
        client.shutdown(socket.SHUT_WR)
        try:
            while client.recv(65536):
                pass
        except OSError:
            pass
for _ in range(300):
    with connect() as client:
        client.sendall(startup())
        read_until_ready(client)
        try:
            for _ in range(random.randrange(1, 8)):
                kind = bytes([random.choice(b"QPBDECSHXFpdcf")])
                body = random.choice([
                    b"", b"select 1\0", b"\0select 1\0\0\0", b"\0\0\0\0\0\0\0\0", b"\0\0\0\0\0\0", b"S\0", b"P\0",
                    b"\0\0\0\0\1", os.urandom(random.randrange(40)), b"\0select $1::int\0\0\1\0\0\0\x17",
                    b"\0\0\0\1\0\1\0\1\0\0\0\4\0\0\0\7\0\0"])
                client.sendall(message(kind, body))
            client.sendall(message(b"S", b""))
            client.settimeout(0.05)
            client.recv(65536)
        except OSError:
            pass
is_alive()
# A client that asks for much and goes away.
for _ in range(3):
    client = connect()
    client.sendall(startup())
    read_until_ready(client)
    client.sendall(message(b"Q", b"select g, g, g from generate_series(1, 3000000) g\0"))
    client.recv(1000)
    client.close()
is_alive()
# Oversize length, and an unknown type.
for bad in (b"Q\x7f\xff\xff\xff", b"!\0\0\0\4"):
    with connect() as client:
        client.sendall(startup())
        read_until_ready(client)
        client.sendall(bad)
        check(b"E", client.recv(65536)[:1], "error before the end")
is_alive()
