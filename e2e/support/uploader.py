"""A device in Python's standard library alone, written from resources/protocol/ and nothing else.

usage: uploader.py LINK SENSOR UDID START_US [CUT_BYTES]

Pairs by the payload of the QR code, prints `check CODE` for the person at the desk, writes a minimal recording, uploads it,
and prints one JSON line. With CUT_BYTES the connection is cut there once, and the upload resumes where the site says.
"""

import base64
import hashlib
import hmac
import http.client
import json
import os
import socket
import ssl
import struct
import sys
import time
import urllib.parse
import uuid

# --- recording-format.md ---------------------------------------------------------------------------------------------


def crc32c_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


CRC_TABLE = crc32c_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def zstd_raw(data):
    """An RFC 8878 frame of raw blocks: for firmware that has no zstd."""
    if not data:
        return b""
    out = struct.pack("<IBI", 0xFD2FB528, 0b10100000, len(data))
    blocks = [data[at : at + 131072] for at in range(0, len(data), 131072)]
    for number, block in enumerate(blocks):
        is_last = number == len(blocks) - 1
        out += struct.pack("<I", (len(block) << 3) | is_last)[:3] + block
    return out


def block(kind, sequence, payload, inflated, count, start=0.0, period=0.0, first=0.0, last=0.0):
    head = struct.pack("<4sBBHII", b"\xd9SBK", kind, 0, 0, len(payload), sequence)
    head += struct.pack("<ddddIII", start, period, first, last, count, inflated, crc32c(payload))
    return head + struct.pack("<I", crc32c(head)), payload


def page(sequence, start_us, period_us, counts):
    zigzag = [(count << 1) ^ (count >> 31) for count in counts]
    planes = bytes(value & 0xFF for value in zigzag) + bytes((value >> 8) & 0xFF for value in zigzag)
    # Order 0 with seed 0: the counts themselves, in both of their bytes.
    payload = struct.pack("<BBBBi", 0, 2, 2, 0, 0) + zstd_raw(planes)
    last = int(start_us + (len(counts) - 1) * period_us + 0.5)
    return block(1, sequence, payload, len(planes), len(counts), start_us, period_us, start_us, last)


def recording(recording_id, udid, start_us, seconds):
    header = json.dumps(
        {
            "version": 1,
            "recordingId": recording_id,
            "deviceRecordingId": 1,
            "udid": udid,
            "hardwareId": "python",
            "firmwareId": "0.1",
            "physicalConfig": {"location": "MEDIAL_CHEST", "side": "NONE", "signal": "ECG"},
            "sensorConfig": {},
            "channels": [
                {
                    "type": "ECG",
                    "dimensions": ["v"],
                    "unit": "V",
                    "nominalRateHz": 250,
                    "scale": [1e-6],
                    "offset": [0],
                    "sampleBits": 16,
                }
            ],
            "syncPoints": [],
            "source": {"format": "sensor", "fileName": "", "sha256": ""},
        }
    ).encode()
    preamble = b"\x89OSIG\r\n\x1a" + struct.pack("<HHI", 1, 0, len(header))
    out = preamble + struct.pack("<I", crc32c(preamble + header)) + header
    entries, total = b"", 0
    for sequence, second in enumerate(range(0, seconds, 60)):
        count = 250 * min(60, seconds - second)
        # A beat every second upon a slow drift.
        counts = [(900 if i % 250 < 8 else 0) + (i // 50) % 40 for i in range(count)]
        head, payload = page(sequence, start_us + second * 1_000_000, 4000.0, counts)
        entries += struct.pack("<Q", len(out)) + head
        out += head + payload
        total += count
    index = struct.pack("<Q", total) + entries
    count = len(entries) // 72
    offset = len(out)
    packed = zstd_raw(index)
    head, payload = block(3, count, packed, len(index), count)
    out += head + payload
    trailer = struct.pack("<QQI", offset, len(out) + 32, count)
    return out + trailer + struct.pack("<I", crc32c(trailer)) + b"OSIGEND\n"


# --- pairing.md ------------------------------------------------------------------------------------------------------


def public_key_of(certificate):
    """SubjectPublicKeyInfo of a certificate in DER: the seventh member of the signed part, or the sixth without a version."""

    def element(at):
        length, head = certificate[at + 1], 2
        if length & 0x80:
            size = length & 0x7F
            length, head = int.from_bytes(certificate[at + 2 : at + 2 + size], "big"), 2 + size
        return at + head, at + head + length

    inside, _ = element(0)
    at, _ = element(inside)
    skip = 6 if certificate[at] == 0xA0 else 5
    for _ in range(skip):
        _, at = element(at)
    _, end = element(at)
    return certificate[at:end]


def text_of(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def bytes_of(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Refused(Exception):
    def __init__(self, status, headers, body):
        super().__init__(f"{status} {body}")
        self.status, self.headers, self.body = status, headers, body


class Site:
    def __init__(self, url, pin):
        self.address = urllib.parse.urlsplit(url)
        self.pin = pin
        self.token = None

    def connect(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        plain = socket.create_connection((self.address.hostname, self.address.port), timeout=60)
        secure = context.wrap_socket(plain)
        met = hashlib.sha256(public_key_of(secure.getpeercert(binary_form=True))).digest()
        if not hmac.compare_digest(met, self.pin):
            secure.close()
            raise SystemExit("another computer answers at the address of the site")
        connection = http.client.HTTPConnection(self.address.hostname, self.address.port)
        connection.sock = secure
        return connection

    def call(self, method, path, headers=None, body=None, cut_after=None):
        connection = self.connect()
        headers = {"host": self.address.netloc, **(headers or {})}
        if self.token:
            headers["authorization"] = "Bearer " + self.token
        if isinstance(body, dict):
            body = json.dumps(body).encode()
            headers["content-type"] = "application/json"
        try:
            if cut_after is not None:
                connection.putrequest(method, path, skip_host=True)
                for name, value in {**headers, "content-length": str(len(body))}.items():
                    connection.putheader(name, value)
                connection.endheaders()
                connection.send(body[:cut_after])
                raise ConnectionError("cut on purpose")
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            data = answer.read()
        finally:
            connection.close()
        found = {name.lower(): value for name, value in answer.getheaders()}
        parsed = json.loads(data) if data and "json" in found.get("content-type", "") else None
        if answer.status >= 400:
            raise Refused(answer.status, found, parsed)
        return found, parsed


def pair(link, serial):
    members = urllib.parse.parse_qs(link.split("#", 1)[1])
    key, pin = bytes_of(members["k"][0]), bytes_of(members["f"][0])
    site = Site(members["a"][0], pin)

    def keyed(purpose, *parts):
        return hmac.new(key, f"outpost-pairing-1 {purpose}\0".encode() + b"".join(parts), hashlib.sha256).digest()

    nonce = os.urandom(32)
    commitment = hashlib.sha256(nonce).digest()
    call = {
        "protocolVersion": 1,
        "siteId": members["s"][0],
        "pairingId": members["p"][0],
        "commitment": text_of(commitment),
        "proof": text_of(keyed("proof", pin, commitment)),
        "clockTs": int(time.time() * 1000),
        "device": {"kind": "HUB", "serial": serial, "displayName": "Python hub"},
    }
    _, called = site.call("POST", "/api/v1/device/pairings", body=call)
    step = "/api/v1/device/pairings/" + called["pairingId"]
    shown = {"nonce": text_of(nonce)}
    site.call("POST", step + "/nonce", body=shown)
    digits = keyed("check", pin, nonce, bytes_of(called["serverNonce"]))[:4].hex().upper()
    print(f"check {digits[:4]}-{digits[4:]}", flush=True)
    while True:
        _, collected = site.call("POST", step + "/credential", body=shown)
        if collected["state"] == "PAIRED":
            site.token = collected["token"]
            site.call("GET", "/api/v1/device/status")
            return site
        time.sleep(0.2)


def assignments(site):
    """Whom the hub serves: told of by the version in a contact's answer, fetched once, not sent again while unchanged."""
    _, contact = site.call("POST", "/api/v1/device/contact", body={"clockTs": int(time.time() * 1000)})
    headers, listed = site.call("GET", "/api/v1/device/assignments")
    if listed["version"] != contact["assignmentsVersion"]:
        raise SystemExit("the contact told of another version than the list has")
    _, again = site.call("GET", "/api/v1/device/assignments", {"if-none-match": headers["etag"]})
    if again is not None:
        raise SystemExit("the list came again although nothing had changed")
    return listed["items"]


def code_of_refusal(site, token, location):
    """What a HEAD says of a token: there is no body, so it is in the headers."""
    known, site.token = site.token, token
    try:
        site.call("HEAD", location, TUS)
    except Refused as refused:
        if not refused.headers["www-authenticate"].startswith("Bearer "):
            raise SystemExit("the site asks for another scheme than Bearer") from None
        return refused.headers["outpost-code"]
    finally:
        site.token = known
    return None


# --- upload.md -------------------------------------------------------------------------------------------------------

TUS = {"tus-resumable": "1.0.0"}
PIECE = 65536


def announce(site, recording_id, sensor, data, start_us):
    members = {
        "recordingId": recording_id,
        "sensor": sensor,
        "sha256": hashlib.sha256(data).hexdigest(),
        "formatVersion": "1",
        "startUs": str(start_us),
    }
    metadata = ",".join(f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in members.items())
    headers = {**TUS, "upload-length": str(len(data)), "upload-metadata": metadata, "content-length": "0"}
    answer, _ = site.call("POST", "/api/v1/device/uploads", headers)
    return answer["location"], int(answer["upload-offset"])


def upload(site, recording_id, sensor, data, start_us, cut_at):
    resumed = []
    while True:
        location, offset = announce(site, recording_id, sensor, data, start_us)
        resumed.append(offset)
        try:
            while offset < len(data):
                piece = data[offset : offset + PIECE]
                cut = None
                if cut_at is not None and offset <= cut_at < offset + len(piece):
                    cut, cut_at = cut_at - offset, None
                checksum = base64.b64encode(hashlib.sha256(piece).digest()).decode()
                headers = {
                    **TUS,
                    "content-type": "application/offset+octet-stream",
                    "upload-offset": str(offset),
                    "upload-checksum": "sha256 " + checksum,
                }
                answer, _ = site.call("PATCH", location, headers, piece, cut)
                offset = int(answer["upload-offset"])
            while True:
                _, state = site.call("GET", location)
                if state["state"] != "RECEIVED":
                    return {**state, "resumed": resumed}
                time.sleep(0.2)
        except (OSError, http.client.HTTPException):
            time.sleep(0.5)
        except Refused as refused:
            if refused.headers["outpost-permanent"] == "true":
                raise
            time.sleep(float(refused.headers.get("retry-after", "0.5")))


def main():
    link, sensor, udid, start_us = sys.argv[1:5]
    cut_at = int(sys.argv[5]) if len(sys.argv) > 5 else None
    site = pair(link, "PY-HUB-1")
    recording_id = str(uuid.uuid4())
    data = recording(recording_id, udid, int(start_us), 600)
    sensors = [one["serial"] for place in assignments(site) for one in place["sensors"]]
    location, _ = announce(site, recording_id, sensor, data, int(start_us))
    version, site_id, credential_id, secret = site.token.split(".")
    refusals = [
        code_of_refusal(site, f"{version}.{site_id}.{credential_id}.{secret[::-1]}", location),
        code_of_refusal(site, f"{version}.{uuid.uuid4()}.{credential_id}.{secret}", location),
    ]
    ended = upload(site, recording_id, sensor, data, int(start_us), cut_at)
    ended = {**ended, "sensors": sensors, "refusals": refusals}
    print(json.dumps({**ended, "sha256": hashlib.sha256(data).hexdigest()}), flush=True)


main()
