"""Broken clients: the server answers with an error or closes, and goes on serving the others."""
import os
import random
import socket
import struct
import time

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


# A slow sender: start-up and query byte by byte, while others are served.
with connect() as slow:
    slow.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in startup():
        slow.sendall(bytes([byte]))
    read_until_ready(slow)
    query = message(b"Q", b"select 9\0")
    for index, byte in enumerate(query):
        slow.sendall(bytes([byte]))
        if index == 5:
            is_alive()
    check(True, b"\0\0\0\x019" in read_until_ready(slow), "slow sender")
# Half a message and then nothing; half a connection.
stalled = connect()
stalled.sendall(startup())
read_until_ready(stalled)
stalled.sendall(b"Q\0\0\x01\0select")
half = connect()
half.sendall(startup() + message(b"Q", b"select 5\0"))
half.shutdown(socket.SHUT_WR)
data = b""
while more := half.recv(65536):
    data += more
check(True, b"\0\0\0\x015" in data, "a client that only listens gets its answer")
is_alive()
stalled.close()
# A client that reads nothing while its result is made, and one that resets the connection.
for reset in (False, True):
    client = connect()
    client.sendall(startup())
    read_until_ready(client)
    client.sendall(message(b"Q", b"select g, g, g from generate_series(1, 3000000) g\0"))
    is_alive()
    if reset:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
is_alive()
# Replies that nobody reads make their own session wait, and nobody else.
client = connect()
client.sendall(startup())
read_until_ready(client)
client.settimeout(0.5)
try:
    for _ in range(2000):
        client.sendall(message(b"Q", b"select repeat('x', 60000)\0") * 10)
except OSError:
    pass
is_alive()
client.close()
# A client that reads late has the end of every reply: with some number of them the last one does not fit into the socket.
# (The server waited for the next message with the rest in its hands, and the client for the rest.)
for count in range(40, 66):
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", PORT))
        client.settimeout(20)
        client.sendall(startup())
        read_until_ready(client)
        client.sendall(message(b"Q", b"select repeat('x', 60000)\0") * count)
        time.sleep(0.1)
        ends, tail = 0, b""
        try:
            while ends < count:
                tail = tail[-5:] + client.recv(1 << 20)
                ends += tail.count(b"Z\0\0\0\5I")
        except TimeoutError:
            pass
        check(count, ends, "replies to a client that reads late")
# Messages of COPY where there is no COPY, and the other way round.
with connect() as client:
    client.sendall(startup())
    read_until_ready(client)
    client.sendall(message(b"d", b"1\n") + message(b"c", b"") + message(b"f", b"x\0") + message(b"Q", b"select 4\0"))
    check(True, b"\0\0\0\x014" in read_until_ready(client), "stray COPY messages are ignored")
    client.sendall(message(b"Q", b"create table hostile_copy (a int)\0"))
    read_until_ready(client)
    client.sendall(message(b"Q", b"copy hostile_copy from stdin\0") + message(b"d", b"1\n") + message(b"Q", b"select 1\0"))
    check(True, b"C08P01" in read_until_ready(client), "a query within COPY")
    client.sendall(message(b"Q", b"drop table hostile_copy\0"))
    read_until_ready(client)
is_alive()
