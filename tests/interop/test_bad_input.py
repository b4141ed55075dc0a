"""What no peer and no mistake of an operator may do: each gets a named error or a closed connection, the rest is unharmed."""
import os
import random
import shutil
import socket
import struct
import subprocess

import pytest

from tests.harness.processes import HAYWARD, Hayward, wait_until
from tests.interop import hostile_raft


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    controller = Hayward(tmp_path_factory.mktemp("bad") / "controller")
    controller.format()
    controller.start().wait_ready()
    yield controller
    controller.kill()


def status(controller):
    done = subprocess.run([str(HAYWARD), "status", "--controller", controller.bootstrap, "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    import json
    return json.loads(done.stdout)


@pytest.fixture
def unharmed(target):
    """Same process, same leader, same epoch, still active: before and after."""
    before = wait_until("the controller is active", lambda: (s := status(target))["active"] and s, 20)
    yield target
    assert target.alive(), target.log()[-2000:]
    after = status(target)
    assert (after["node"], after["quorum"]["epoch"], after["active"]) == (before["node"], before["quorum"]["epoch"], True)


def exchange(controller, data, read=True, timeout=3.0):
    """Sends raw bytes; what comes back until the peer closes or falls silent, and whether it closed."""
    with socket.create_connection(("127.0.0.1", controller.port), timeout=timeout) as s:
        received = b""
        try:
            s.sendall(data)
            while read:
                part = s.recv(65536)
                if not part:
                    return received, True
                received += part
        except socket.timeout:
            return received, False
        except (ConnectionResetError, BrokenPipeError):
            return received, True
    return received, None


def frame(body):
    return struct.pack(">i", len(body)) + body


def header(key, version, flexible=True):
    return struct.pack(">hhih", key, version, 7, -1) + (b"\0" if flexible else b"")


def rss_kb(controller):
    with open(f"/proc/{controller.process.pid}/status") as f:
        return int(next(line for line in f if line.startswith("VmRSS")).split()[1])


@pytest.mark.parametrize("name,data", [
    ("http", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
    ("tls", bytes.fromhex("1603010200010001fc0303") + b"\x11" * 200),
    ("size zero", struct.pack(">i", 0)),
    ("negative size", struct.pack(">i", -5)),
    ("above the limit", struct.pack(">i", 104857601) + b"x" * 100),
    ("size of 2 GiB", struct.pack(">i", 2**31 - 1) + b"x" * 100),
    ("unknown api", frame(header(999, 0))),
    ("metadata, which brokers serve", frame(header(3, 12))),
    ("version too high", frame(header(62, 99))),
    ("version too low", frame(header(1, 0, flexible=False))),
    ("header cut short", frame(b"\0\x12")),
    ("body cut short", frame(header(62, 4) + b"\0\0")),
    ("absurd array", frame(header(19, 7) + b"\xff\xff\xff\xff\x0f" + b"x" * 20)),
    ("absurd string", frame(header(62, 4) + struct.pack(">i", 1) + b"\xff\xff\xff\xff\x07abc")),
])
def test_one_bad_frame(unharmed, name, data):
    received, closed = exchange(unharmed, data)
    assert closed, f"{name}: the connection stays open"
    assert received == b"", f"{name}: answered {received!r}"


def test_unknown_version_of_api_versions_is_answered_in_version_0(unharmed):
    received, _ = exchange(unharmed, frame(header(18, 99) + b"\0\0\0"), timeout=0.5)
    assert struct.unpack(">ih", received[4:10]) == (7, 35)


def test_frames_cut_at_every_byte(unharmed, jvm):
    """A registration cut short, its size made to fit: closed each time, nothing registered."""
    whole = header(62, 4) + struct.pack(">i", 1) + b"\x17hAywardTestsCluster000" + b"\x01" * 16 + b"\x01\x01\0\0\x01" + struct.pack(">q", -1) + b"\0"
    for end in range(len(whole) - 1):
        received, closed = exchange(unharmed, frame(whole[:end]))
        assert closed and received == b"", end
    assert status(unharmed)["brokers"] == []


def test_slow_and_half_sent_frames_hold_up_nobody(unharmed):
    slow = [socket.create_connection(("127.0.0.1", unharmed.port)) for _ in range(50)]
    for s in slow:
        s.sendall(struct.pack(">i", 1000) + b"x" * 10)
    assert status(unharmed)["active"]
    for s in slow:
        s.close()


def test_garbage_leaves_no_memory_behind(unharmed):
    """cases.md row 52 (KAFKA-20302): many garbage frames over many connections; the resident set stays."""
    rng = random.Random(20302)
    count = 20000 if os.environ.get("HAYWARD_LONG") else 2000

    def storm():
        for _ in range(count // 2):
            with socket.create_connection(("127.0.0.1", unharmed.port)) as s:
                key = rng.choice((1, 18, 19, 44, 52, 55, 58, 62, 63, 73))
                body = header(key, rng.randrange(0, 5)) + rng.randbytes(rng.randrange(0, 200))
                s.sendall(frame(body) * rng.randrange(1, 4))
    storm()
    before = rss_kb(unharmed)
    storm()
    assert rss_kb(unharmed) - before < 2048


def test_raft_requests_of_strangers_change_nothing(unharmed, jvm):
    """cases.md strangers: each hurts Java's controller (apis.md 4.1)."""
    epoch = status(unharmed)["quorum"]["epoch"]
    for key, version, body in hostile_raft.requests(3000, epoch, strangers=(3001, 77, 88)):
        answer = jvm.rpc(unharmed.port, key, version, body)
        assert "response" in answer or answer.get("closed"), (key, body, answer)


def test_a_second_process_on_the_directory_or_the_port(unharmed, tmp_path):
    """cases.md row 58."""
    before = sorted((p.name, p.stat().st_size) for p in unharmed.data.glob("*"))
    done = subprocess.run([str(HAYWARD), "run", "-c", str(unharmed.config)], capture_output=True, text=True, timeout=20)
    assert done.returncode == 3 and ".lock" in done.stderr and done.stderr.count("\n") == 1, done.stderr
    other = Hayward(tmp_path / "other", port=unharmed.port)
    other.format()
    done = subprocess.run([str(HAYWARD), "run", "-c", str(other.config)], capture_output=True, text=True, timeout=20)
    assert done.returncode == 4 and str(unharmed.port) in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert sorted((p.name, p.stat().st_size) for p in unharmed.data.glob("*")) == before


@pytest.mark.parametrize("damage,expected", [
    (lambda text: text.replace("version=1", "version=9"), "version"),
    (lambda text: text.replace("node.id=3000", "node.id=3001"), "3001"),
    (lambda text: "\n".join(l for l in text.splitlines() if not l.startswith("cluster.id")), "cluster.id"),
    (lambda text: "", "meta.properties"),
])
def test_damaged_meta_properties(tmp_path, damage, expected):
    controller = Hayward(tmp_path / "c")
    controller.format()
    meta = controller.data / "meta.properties"
    meta.write_text(damage(meta.read_text()))
    damaged = meta.read_text()
    done = subprocess.run([str(HAYWARD), "run", "-c", str(controller.config)], capture_output=True, text=True, timeout=20)
    assert done.returncode == 3, done.stderr
    assert expected in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert meta.read_text() == damaged


def test_not_formatted(tmp_path):
    controller = Hayward(tmp_path / "c")
    done = subprocess.run([str(HAYWARD), "run", "-c", str(controller.config)], capture_output=True, text=True, timeout=20)
    assert done.returncode == 3 and "hayward format" in done.stderr, done.stderr
    assert not controller.data.exists()


@pytest.fixture
def small_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(disk)]).returncode != 0:
        pytest.skip("LEFT OUT: a full disk needs root and a tmpfs")
    yield disk
    subprocess.run(["umount", "-l", str(disk)])


def test_a_disk_that_fills_while_running(small_disk, tmp_path, jvm):
    """Whole batches stay, the process ends with one line; with room again everything acknowledged is there."""
    controller = Hayward(small_disk / "c", settings={"log.dirs": small_disk / "c" / "data"})
    controller.log_path = tmp_path / "log"
    controller.format()
    controller.start().wait_ready()
    acknowledged = []
    for i in range(2000):
        try:
            answer = jvm.rpc(controller.port, 44, 1, {"validateOnly": False, "resources": [{"resourceType": 4, "resourceName": "", "configs": [
                {"name": f"key.{i}", "configOperation": 0, "value": "v" * 4000}]}]}, connection="fill", timeout_ms=5000)
        except AssertionError:
            break
        if answer.get("closed"):
            break
        if answer["response"]["responses"][0]["errorCode"] == 0:
            acknowledged.append(f"key.{i}")
    assert controller.process.wait(20) == 1
    assert "No space left" in controller.log(), controller.log()[-1000:]
    assert len(acknowledged) > 20
    shutil.copytree(small_disk / "c" / "data", tmp_path / "data")
    again = Hayward(tmp_path / "again", settings={"log.dirs": tmp_path / "data"})
    again.metadata_log = tmp_path / "data" / "__cluster_metadata-0"
    again.start().wait_ready()
    try:
        names = {r["data"]["name"] for r in again.records(jvm, "ConfigRecord")}
        assert set(acknowledged) <= names
    finally:
        again.kill()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def batch_of_one(offset, epoch, value):
    """A record batch as Kafka's code writes it."""
    record = b"\0\0\0\1" + bytes([len(value) * 2]) + value + b"\0"
    record = bytes([len(record) * 2]) + record
    body = struct.pack(">hiqqqhii", 0, 0, 0, 0, -1, -1, -1, 1) + record
    return struct.pack(">qiibI", offset, len(body) + 9, epoch, 2, crc32c(body)) + body


def test_a_record_that_cannot_be_applied(tmp_path, jvm):
    """cases.md row 67: another program has put "unregister broker 3 of epoch 9" into the log. One line names it, and how to see it."""
    controller = Hayward(tmp_path / "c")
    controller.format()
    controller.start().wait_ready()
    wait_until("it is active", lambda: controller.records(jvm, "RegisterControllerRecord"), 20)
    assert controller.stop() in (0, 143)
    last = controller.records(jvm)[-1]
    poison = batch_of_one(last["offset"] + 1, last["epoch"], b"\1\1\0" + struct.pack(">iq", 3, 9) + b"\0")
    with open(controller.segments()[-1], "ab") as log:
        log.write(poison)
    assert controller.records(jvm)[-1]["type"] == "UnregisterBrokerRecord", "Kafka's code reads it"
    for _ in range(2):
        done = subprocess.run([str(HAYWARD), "run", "-c", str(controller.config)], capture_output=True, text=True, timeout=20)
        assert done.returncode == 3 and done.stderr.count("\n") == 1, done.stderr
        for told in ("UnregisterBroker", f"offset {last['offset'] + 1}", "expected", "found", f"hayward inspect --records {controller.data}"):
            assert told in done.stderr, done.stderr
    shown = subprocess.run([str(HAYWARD), "inspect", "--records", str(controller.data)], capture_output=True, text=True, timeout=20)
    assert "UnregisterBroker" in shown.stdout, shown
