"""Two network namespaces joined by a bad link, for as long as standard input stays open.

    bad_link.py NAME LOSS_PERCENT DELAY_MS RATE_BITS_PER_SECOND [SILENCE_SECONDS EVERY_SECONDS]

Both directions have the same loss, delay and rate. With SILENCE_SECONDS, nothing passes for that long out of every
EVERY_SECONDS. If the kernel has netem, the link is a veth pair with `tc netem` at both ends. Otherwise it is a TUN device in
each namespace, and this program carries the packets between them by the rules of netem: random loss, in order at the given
rate, delivered after the delay. The kernel's TCP runs on both sides in either case.

Prints one line of JSON when the link is up, with a temporary folder for its users, and the packet and byte counts for each
line it reads. Removes the namespaces, the processes in them and the folder when standard input ends, which also happens
when its parent is killed.
"""

import fcntl
import heapq
import json
import os
import random
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

TUNSETIFF = 0x400454CA
IFF_TUN = 0x0001
IFF_NO_PI = 0x1000
QUEUE_LIMIT_PACKETS = 1000  # the default limit of netem
ENDS = ("hub", "site")
ADDRESSES = {"hub": "10.77.0.2", "site": "10.77.0.1"}

name, loss_percent, delay_ms, rate, *silences = sys.argv[1], *map(float, sys.argv[2:])
silence_s, every_s = silences if silences else (0.0, float("inf"))


def run(*command, fails=True):
    done = subprocess.run(command, capture_output=True, text=True)
    if fails and done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done


def namespace(end):
    return f"{name}-{end}"


def inside(end, *command):
    return run("ip", "netns", "exec", namespace(end), *command)


def open_tun(end):
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    made = fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", b"bad%d", IFF_TUN | IFF_NO_PI))
    kernel_name = made[:16].rstrip(b"\0").decode()
    run("ip", "link", "set", kernel_name, "netns", namespace(end), "name", "link0")
    return device


def take_down(folder):
    for end in ENDS:
        for pid in run("ip", "netns", "pids", namespace(end), fails=False).stdout.split():
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        run("ip", "netns", "del", namespace(end), fails=False)
    shutil.rmtree(folder, ignore_errors=True)


class Direction:
    """Packets from one end to the other."""

    def __init__(self, source, target):
        self.source = source
        self.target = target
        self.queue = []
        self.busy_until = 0.0
        self.count = {"packets": 0, "bytes": 0, "lost": 0}

    def take(self, now, is_silent):
        while True:
            try:
                packet = os.read(self.source, 65536)
            except BlockingIOError:
                return
            self.count["packets"] += 1
            self.count["bytes"] += len(packet)
            if is_silent or random.random() * 100 < loss_percent or len(self.queue) >= QUEUE_LIMIT_PACKETS:
                self.count["lost"] += 1
                continue
            self.busy_until = max(now + delay_ms / 1000, self.busy_until) + len(packet) * 8 / rate
            heapq.heappush(self.queue, (self.busy_until, self.count["packets"], packet))

    def deliver(self, now):
        while self.queue and self.queue[0][0] <= now:
            try:
                os.write(self.target, heapq.heappop(self.queue)[2])
            except OSError:
                self.count["lost"] += 1


def print_json(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def carry(tuns):
    """Carries packets between the TUN devices, if any, until standard input ends."""
    directions = {}
    if tuns:
        directions["toSite"] = Direction(tuns["hub"], tuns["site"])
        directions["toHub"] = Direction(tuns["site"], tuns["hub"])
    started = time.monotonic()
    watched = [sys.stdin, *tuns.values()]
    while True:
        now = time.monotonic()
        due = [direction.queue[0][0] for direction in directions.values() if direction.queue]
        ready, _, _ = select.select(watched, [], [], max(0.0, min(due) - now) if due else 1.0)
        now = time.monotonic()
        is_silent = (now - started) % every_s >= every_s - silence_s if silence_s > 0 else False
        for direction in directions.values():
            direction.take(now, is_silent)
            direction.deliver(now)
        if sys.stdin in ready:
            if not os.read(sys.stdin.fileno(), 4096):
                return
            print_json({which: direction.count for which, direction in directions.items()})


def main():
    tuns = {}
    folder = tempfile.mkdtemp(prefix="outpost-bad-link-")
    try:
        for end in ENDS:
            run("ip", "netns", "add", namespace(end))
            inside(end, "ip", "link", "set", "lo", "up")
        peer = ("peer", "name", "link0", "netns", namespace("site"))
        run("ip", "link", "add", "link0", "netns", namespace("hub"), "type", "veth", *peer)
        netem = ("netem", "loss", f"{loss_percent}%", "delay", f"{delay_ms}ms", "rate", f"{rate:.0f}bit")
        refusal = ""
        try:
            if silence_s > 0:
                raise RuntimeError("netem cannot interrupt a link")
            for end in ENDS:
                inside(end, "tc", "qdisc", "add", "dev", "link0", "root", *netem)
        except RuntimeError as error:
            refusal = str(error)
            inside("hub", "ip", "link", "del", "link0")
            tuns = {end: open_tun(end) for end in ENDS}
        for end in ENDS:
            inside(end, "ip", "address", "add", f"{ADDRESSES[end]}/24", "dev", "link0")
            inside(end, "ip", "link", "set", "link0", "up")
        control = inside("hub", "cat", "/proc/sys/net/ipv4/tcp_congestion_control").stdout.strip()
        if "CONGESTION" in os.environ:
            control = os.environ["CONGESTION"]
            for end in ENDS:
                inside(end, "sh", "-c", f"echo {control} > /proc/sys/net/ipv4/tcp_congestion_control")
        namespaces = {end: namespace(end) for end in ENDS}
        setup = {"namespaces": namespaces, "folder": folder, "isNetem": not tuns}
        print_json({**setup, "refusal": refusal, "congestionControl": control})
        carry(tuns)
    finally:
        take_down(folder)


for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, lambda *_: sys.exit(1))
main()
