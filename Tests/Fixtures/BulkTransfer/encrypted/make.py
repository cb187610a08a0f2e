#!/usr/bin/env python3
"""Files as AWS's encryption clients leave them (Amazon S3 Encryption Client Developer Guide, "Encryption algorithms" and
"Object metadata"), made with Python's cryptography; metadata as instruction files. The master key is the bytes 0 to 31.

    Tests/Fixtures/BulkTransfer/encrypted/make.py

Rows are `1,one` to `3,three`, but of block.csv: one row of 16 bytes, whose padding is a block of its own."""
import base64
import json
import pathlib
import random

from cryptography.hazmat.primitives import keywrap, padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

HERE = pathlib.Path(__file__).resolve().parent
MASTER = bytes(range(32))
ROWS = b"1,one\n2,two\n3,three\n"


def base(data):
    return base64.b64encode(data).decode()


def chained(mode, key, data):
    pad = padding.PKCS7(128).padder()
    encryptor = Cipher(algorithms.AES(key), mode).encryptor()
    return encryptor.update(pad.update(data) + pad.finalize()) + encryptor.finalize()


def version1(data, master, source):
    """Encryption only: CBC, and the key by ECB."""
    key, start = source.randbytes(32), source.randbytes(16)
    notes = {"x-amz-key": base(chained(modes.ECB(), master, key)), "x-amz-iv": base(start), "x-amz-matdesc": "{}"}
    return chained(modes.CBC(start), key, data), notes


def version2(data, master, source, wrap="AES/GCM", content="AES/GCM/NoPadding"):
    key = source.randbytes(32)
    if wrap == "AES/GCM":
        nonce = source.randbytes(12)
        sealed = nonce + AESGCM(master).encrypt(nonce, key, content.encode())
    else:
        sealed = keywrap.aes_key_wrap(master, key)
    notes = {"x-amz-key-v2": base(sealed), "x-amz-wrap-alg": wrap, "x-amz-cek-alg": content, "x-amz-matdesc": "{}"}
    if content == "AES/CBC/PKCS5Padding":
        start = source.randbytes(16)
        body = chained(modes.CBC(start), key, data)
    else:
        start = source.randbytes(12)
        body = AESGCM(key).encrypt(start, data, None)
        notes["x-amz-tag-len"] = "128"
    notes["x-amz-iv"] = base(start)
    notes["x-amz-unencrypted-content-length"] = str(len(data))
    return body, notes


def opened(body, notes, master):
    """What was encrypted by version1, as a reader of its own."""
    decryptor = Cipher(algorithms.AES(master), modes.ECB()).decryptor()
    pad = padding.PKCS7(128).unpadder()
    key = pad.update(decryptor.update(base64.b64decode(notes["x-amz-key"])) + decryptor.finalize()) + pad.finalize()
    decryptor = Cipher(algorithms.AES(key), modes.CBC(base64.b64decode(notes["x-amz-iv"]))).decryptor()
    pad = padding.PKCS7(128).unpadder()
    return pad.update(decryptor.update(body) + decryptor.finalize()) + pad.finalize()


def write(name, body, notes):
    (HERE / name).write_bytes(body)
    (HERE / (name + ".instruction")).write_text(json.dumps(notes) + "\n")


def main():
    source = random.Random(14)
    body, notes = version1(ROWS, MASTER, source)
    write("v1.csv", body, notes)
    write("padding.csv", body[:-1] + bytes([body[-1] ^ 1]), notes)
    write("cut.csv", body[:-5], notes)
    write("block.csv", *version1(b"7,sixteen bytes\n", MASTER, source))
    write("otherkey.csv", *version1(ROWS, bytes(32), source))
    body, notes = version2(ROWS, MASTER, source)
    write("v2.csv", body, notes)
    write("tampered.csv", bytes([body[0] ^ 2]) + body[1:], notes)
    write("shorter.csv", body[:-3], notes)
    write("length.csv", body, {**notes, "x-amz-unencrypted-content-length": "19"})
    write("tag.csv", body, {**notes, "x-amz-tag-len": "96"})
    write("kms.csv", body, {**notes, "x-amz-wrap-alg": "kms+context"})
    write("rsa.csv", body, {**notes, "x-amz-wrap-alg": "RSA-OAEP-SHA1"})
    write("noiv.csv", body, {key: value for key, value in notes.items() if key != "x-amz-iv"})
    write("wrapped.csv", *version2(ROWS, MASTER, source, wrap="AESWrap"))
    write("wrapped_cbc.csv", *version2(ROWS, MASTER, source, wrap="AESWrap", content="AES/CBC/PKCS5Padding"))


if __name__ == "__main__":
    main()
