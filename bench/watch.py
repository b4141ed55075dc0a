"""What the benches read off a running controller, and the disk's own floor."""
import os
import pathlib
import socket
import statistics
import time

from tests.harness import wire

NOT_CONTROLLER = 41
POLL_S = 0.001
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def resident_mb(pid) -> float:
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise AssertionError(f"{pid} has no memory")


def cpu_s(pid) -> float:
    """User and system time of all threads; /proc counts in ticks of 10 ms."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


class CpuClock:
    def __init__(self, pid):
        self.pid, self.begun, self.cpu_s = pid, time.monotonic(), cpu_s(pid)

    def used(self):
        """CPU seconds and seconds since the clock was made."""
        return cpu_s(self.pid) - self.cpu_s, time.monotonic() - self.begun

    def share(self):
        used, seconds = self.used()
        return used / seconds


def _poll(condition, alive, what, timeout_s=60):
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert alive(), f"ended before it {what}"
        assert time.monotonic() < deadline, f"not within {timeout_s} s: {what}"
        time.sleep(POLL_S)


def wait_listening(port, alive, timeout_s=60):
    def connects():
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", port)) == 0
    _poll(connects, alive, "listens", timeout_s)


def _active(port) -> bool:
    """Whoever is not (yet) active answers NOT_CONTROLLER."""
    answer = wire.ask(port, wire.create_topics("probe", validate_only=True), timeout_s=5)
    return answer is not None and wire.created(answer) != NOT_CONTROLLER


def wait_active(port, alive, timeout_s=60):
    wait_listening(port, alive, timeout_s)
    _poll(lambda: _active(port), alive, "is active", timeout_s)


def sync_floor(folder, rounds=500, block=4096):
    """Appending 4 KiB and making it last, as write + fdatasync and as one RWF_DSYNC write: medians in us."""
    path = pathlib.Path(folder) / "floor"
    result = {}
    for name, flags in (("fdatasync_us", 0), ("dsync_write_us", os.RWF_DSYNC)):
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        times_us, data = [], bytes(block)
        for i in range(rounds):
            begun = time.perf_counter_ns()
            os.pwritev(fd, [data], i * block, flags)
            if not flags:
                os.fdatasync(fd)
            times_us.append((time.perf_counter_ns() - begun) / 1000)
        os.close(fd)
        path.unlink()
        result[name] = statistics.median(times_us)
    return result
