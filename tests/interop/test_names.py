"""Voters by host names that do not resolve yet, or resolve to another address later. Each controller sees a hosts file of the test."""
import os
import subprocess
import time

import pytest

from tests.harness import quorum as quorums
from tests.harness.processes import wait_until, write_properties

LONG = bool(os.environ.get("HAYWARD_LONG"))
DARK_S = 60 if LONG else 8
WITHIN_S = 5 + 2.5  # of a machine that does much else: an election begins with a fetch timeout of 2 s
INSIDE = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"']


class Names:
    def __init__(self, folder):
        self.file = folder / "hosts"
        self.resolve({})

    def resolve(self, names):
        """In place: what is mounted is this very file."""
        self.file.write_text("".join(f"{address} {name}\n" for name, address in {"localhost": "127.0.0.1", **names}.items()))


@pytest.fixture
def names(tmp_path):
    names = Names(tmp_path)
    tried = subprocess.run([*INSIDE, str(names.file), "getent", "hosts", "localhost"], capture_output=True, text=True)
    if tried.returncode != 0:
        pytest.skip(f"LEFT OUT: no hosts file of one's own here: {tried.stderr.strip()}")
    return names


def move(quorum, node, address):
    """The controller's configuration with another address of its own."""
    process = quorum.nodes[node]
    process.host = quorum.hosts[node] = address
    listener = f"CONTROLLER://{address}:{process.port}"
    process.settings.update({"listeners": listener, "advertised.listeners": listener})
    write_properties(process.config, process.settings)


def test_names_that_resolve_late_and_elsewhere(cluster, jvm, names):
    """cases.md row 83: a cold boot without names, then with them; a voter's address changes: each time it heals by itself, soon."""
    def make(kind, folder, **options):
        return quorums.make(kind, folder, inside=[*INSIDE, str(names.file)], **options)
    quorum = quorums.Quorum(cluster, jvm, ["hayward"] * 3, make=make, start=False, hosts={})
    by_name = ",".join(f"{n}@voter-{n}.test:{port}" for n, port in quorum.ports.items())
    for process in quorum.nodes.values():
        process.settings["controller.quorum.voters"] = by_name
        write_properties(process.config, process.settings)
    quorum.start()
    until = time.monotonic() + DARK_S
    while time.monotonic() < until:
        assert quorum.describe() is None and len(quorum.living()) == 3
        time.sleep(0.5)
    resolved = {f"voter-{n}.test": "127.0.0.1" for n in quorum.voters}
    names.resolve(resolved)
    quorum.leader(WITHIN_S)
    told = quorum.wait_caught_up()

    moved, other = (n for n in quorum.voters if n != told["leader"])
    quorum.nodes[moved].kill()
    names.resolve({**resolved, f"voter-{moved}.test": "127.0.0.2"})
    move(quorum, moved, "127.0.0.2")
    quorum.start(moved)
    quorum.wait_caught_up(moved, timeout=WITHIN_S)
    quorum.nodes[told["leader"]].kill()  # the two that are left need each other's votes
    wait_until(lambda: f"one of {moved}, {other} leads: {quorum.logs()}",
               lambda: (quorum.describe() or {"leader": told["leader"]})["leader"] != told["leader"], WITHIN_S)
