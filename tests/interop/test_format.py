"""`hayward format` against `kafka-storage format`: the same files with the same records; and every way to go wrong leaves
the disk as it was, with the exit code that says so."""
import contextlib
import os
import pathlib
import subprocess

import pytest

from tests.harness.processes import CLUSTER_ID, HAYWARD, write_properties

OTHER_CLUSTER = "another-Cluster-0000AA"
DIRECTORY = "3f5n8NfTQ6qKD0Y7sJm1Yw"
OTHER_DIRECTORY = "Yl3cYh9qTfeRFrNWkG6L5w"
STATIC = "3000@127.0.0.1:19093,3001@127.0.0.1:19094"
INITIAL = f"3000@127.0.0.1:19093:{DIRECTORY},3001@127.0.0.1:19094:{OTHER_DIRECTORY}"
SALTED = "SCRAM-SHA-512=[name=bob,password=\"pass word\",iterations=8192,salt=\"MWx2NHBkbnc0ZndxN25vdGN4bTB5Mjgxa2M=\"]"


class Side:
    """One tool with a folder and a configuration of its own; Kafka's when it is given a JVM, else Hayward's."""

    def __init__(self, folder: pathlib.Path, jvm=None, voters=None, dirs=("data",), **settings):
        self.folder, self.jvm = folder, jvm
        folder.mkdir(parents=True, exist_ok=True)
        self.dirs = [folder / d for d in dirs]
        self.config = folder / "server.properties"
        quorum = {"controller.quorum.voters": voters} if voters else {"controller.quorum.bootstrap.servers": "127.0.0.1:19093"}
        write_properties(self.config, {
            "process.roles": "controller", "node.id": 3000, "listeners": "CONTROLLER://127.0.0.1:19093",
            "advertised.listeners": "CONTROLLER://127.0.0.1:19093", "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT", **quorum,
            "log.dirs": ",".join(map(str, self.dirs)), **settings})

    def format(self, *flags, cluster=CLUSTER_ID):
        """The exit code; what was said is kept in .said."""
        arguments = ["format", "-t", cluster, "-c", str(self.config), *flags]
        if self.jvm:
            done = self.jvm.tool("storage", *arguments, check=False)
            self.said = done.out + done.err
            return done.exit
        done = subprocess.run([str(HAYWARD), *arguments], capture_output=True, text=True, timeout=60)
        self.said = done.stdout + done.stderr
        return done.returncode

    def files(self):
        """Relative paths of the files, but those that only say that a process was there."""
        return sorted(str(p.relative_to(self.folder)) for d in self.dirs for p in d.rglob("*") if p.is_file() and p.name != ".lock")

    def meta(self, directory=0):
        lines = (self.dirs[directory] / "meta.properties").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines if not line.startswith("#"))

    def checkpoints(self, jvm):
        return {name: jvm.records(self.folder / name) for name in self.files() if name.endswith(".checkpoint")}

    def state(self):
        """Everything on disk: a change of any file or folder shows."""
        state = {}
        for path in [self.folder, *self.folder.rglob("*")]:
            status = path.stat()
            state[str(path)] = (status.st_ino, status.st_mode, status.st_mtime_ns, path.read_bytes() if path.is_file() else None)
        return state


def without_chance(checkpoints, keep_directory_ids, keep_salts):
    """What chance or the clock decides is left out."""
    for records in checkpoints.values():
        for record in records:
            record.pop("timestamp")
            if record["type"] == "KRAFT_VOTERS" and not keep_directory_ids:
                for voter in record["data"]["voters"]:
                    assert len(voter.pop("voterDirectoryId")) == 22
            if record["type"] == "UserScramCredentialRecord" and not keep_salts:
                for field in ("salt", "storedKey", "serverKey"):
                    assert record["data"].pop(field)
    return checkpoints


@pytest.mark.parametrize("flags, voters", [
    (("--standalone",), None),
    ((), STATIC),
    (("--initial-controllers", INITIAL), None),
    (("--no-initial-controllers",), None),
    (("--no-initial-controllers",), STATIC),
    (("--standalone", "-r", "3.9"), None),
    (("--standalone", "-r", "4.0"), None),
    (("--standalone", "-r", "4.1"), None),
    ((), "3000@127.0.0.1:19093"),
    (("-r", "3.7"), STATIC),
    (("--standalone", "--feature", "metadata.version=25"), None),
    (("--standalone", "--feature", "group.version=0", "--feature", "share.version=0"), None),
    (("--standalone", "-r", "4.0", "-f", "eligible.leader.replicas.version=1", "-f", "transaction.version=1"), None),
    (("--standalone", "--feature", "kraft.version=1"), None),
    (("--feature", "kraft.version=0"), STATIC),
    (("--standalone", "--add-scram", SALTED), None),
    (("--standalone", "-S", "SCRAM-SHA-256=[name=alice,password=secret]", "-S", SALTED), None),
], ids=lambda value: " ".join(value)[:50] if isinstance(value, tuple) else value or "dynamic")
def test_writes_what_kafka_writes(tmp_path, jvm, flags, voters):
    """cases.md row 61."""
    java, hayward = Side(tmp_path / "java", jvm, voters), Side(tmp_path / "hayward", None, voters)
    assert java.format(*flags) == 0, java.said
    assert hayward.format(*flags) == 0, hayward.said
    assert hayward.files() == java.files()
    keep_ids = "--initial-controllers" in flags
    keep_salts = not any("alice" in flag for flag in flags)
    expected = without_chance(java.checkpoints(jvm), keep_ids, keep_salts)
    assert without_chance(hayward.checkpoints(jvm), keep_ids, keep_salts) == expected
    ours, theirs = hayward.meta(), java.meta()
    assert len(ours["directory.id"]) == 22 and (not keep_ids or ours["directory.id"] == DIRECTORY)
    assert ours.pop("directory.id") and theirs.pop("directory.id") and ours == theirs


def test_several_directories(tmp_path, jvm):
    """With --ignore-formatted, one that is formatted is left as it is and the other is formatted."""
    sides = [Side(tmp_path / name, j, dirs=("a", "b")) for name, j in (("java", jvm), ("hayward", None))]
    for side in sides:
        assert side.format("--standalone") == 0, side.said
        for file in side.dirs[1].iterdir():
            file.unlink()
        kept = {p: p.read_bytes() for p in side.dirs[0].rglob("*") if p.is_file()}
        assert side.format("--standalone", "--ignore-formatted") == 0, side.said
        assert {p: p.read_bytes() for p in side.dirs[0].rglob("*") if p.is_file()} == kept
        assert side.meta(0)["directory.id"] != side.meta(1)["directory.id"]
        assert side.format("--standalone", "--ignore-formatted") == 0, side.said
    assert sides[0].files() == sides[1].files()
    expected = without_chance(sides[0].checkpoints(jvm), False, True)
    assert without_chance(sides[1].checkpoints(jvm), False, True) == expected


def test_metadata_directory_of_its_own(tmp_path, jvm):
    sides = [Side(tmp_path / name, j, **{"metadata.log.dir": tmp_path / name / "meta"}) for name, j in (("java", jvm), ("hayward", None))]
    for side in sides:
        side.dirs.append(side.folder / "meta")
        assert side.format("--standalone") == 0, side.said
    assert sides[0].files() == sides[1].files()


def test_dry_run_changes_nothing(tmp_path):
    """cases.md row 85."""
    side = Side(tmp_path / "hayward", dirs=("a", "b"))
    before = side.state()
    assert side.format("--initial-controllers", INITIAL, "--add-scram", SALTED, "--dry-run") == 0, side.said
    assert side.state() == before
    for told in ("voter 3000 at 127.0.0.1:19093", f"directory {DIRECTORY}", "voter 3001 at 127.0.0.1:19094", "metadata.version 30",
                 "kraft.version=1", "would write", "bootstrap.checkpoint", "meta.properties", "bob"):
        assert told in side.said, side.said
    assert "pass word" not in side.said
    assert side.format("--initial-controllers", INITIAL, "--standalone", "--dry-run") == 2
    assert side.state() == before


def refused(side, code, *flags, names, cluster=CLUSTER_ID):
    before = side.state()
    assert side.format(*flags, cluster=cluster) == code, side.said
    assert names in side.said, side.said
    assert side.state() == before


def test_a_formatted_directory_is_left_alone(tmp_path):
    side = Side(tmp_path / "hayward")
    assert side.format("--standalone") == 0
    refused(side, 3, "--standalone", names="not formatted")
    refused(side, 3, "--no-initial-controllers", names="not formatted")
    refused(side, 3, "--standalone", "--dry-run", names="not formatted")
    refused(side, 3, "--standalone", cluster=OTHER_CLUSTER, names=CLUSTER_ID)
    refused(side, 3, "--standalone", "--ignore-formatted", cluster=OTHER_CLUSTER, names=CLUSTER_ID)


def test_one_of_two_formatted(tmp_path):
    side = Side(tmp_path / "hayward", dirs=("a", "b"))
    assert side.format("--standalone") == 0
    (side.dirs[0] / "meta.properties").unlink()
    refused(side, 3, "--standalone", names=str(side.dirs[1]))


@pytest.mark.parametrize("content", ["", "version=1\n", "version=2\ncluster.id=x\nnode.id=3000\n", "version=1\nnode.id=3000\ncluster.id=\\u00zz\n",
                                     f"version=1\nnode.id=three\ncluster.id={CLUSTER_ID}\n", f"version=1\nnode.id=7\ncluster.id={CLUSTER_ID}\n",
                                     f"version=1\nnode.id=3000\ncluster.id={CLUSTER_ID}\ndirectory.id=short\n"])
def test_damaged_meta_properties(tmp_path, content):
    side = Side(tmp_path / "hayward")
    side.dirs[0].mkdir()
    (side.dirs[0] / "meta.properties").write_text(content)
    refused(side, 3, "--standalone", names="meta.properties")
    if content:  # an empty one is of version 0, which leaves out what it likes
        refused(side, 3, "--standalone", "--ignore-formatted", names="meta.properties")


STANDALONE, LISTED, NONE = ("--standalone",), ("--initial-controllers", INITIAL), ("--no-initial-controllers",)


@pytest.mark.parametrize("flags, voters", [
    ((), None), (STANDALONE, STATIC), (LISTED, STATIC), (STANDALONE + LISTED, None), (STANDALONE + NONE, None), (LISTED + NONE, None),
    (STANDALONE + LISTED + NONE, None), (STANDALONE + LISTED, STATIC),
    (STANDALONE + ("--feature", "kraft.version=0"), None), (("--feature", "kraft.version=1"), STATIC),
    (STANDALONE + ("-r", "4.0", "--feature", "metadata.version=25"), None),
    (STANDALONE + ("-r", "3.2"), None), (STANDALONE + ("-r", "9.9"), None),
    (STANDALONE + ("--feature", "no.such.feature=1"), None), (STANDALONE + ("--feature", "group.version=99"), None),
    (STANDALONE + ("-r", "3.7", "--feature", "transaction.version=2", "--feature", "eligible.leader.replicas.version=1"), None),
    (("-r", "3.4", "--add-scram", SALTED), STATIC),
    (STANDALONE + ("--add-scram", "SCRAM-SHA-256=[name=alice]"), None), (STANDALONE + ("--add-scram", "SCRAM-MD5=[name=a,password=b]"), None),
    (("--initial-controllers", f"3000@127.0.0.1:19093:{DIRECTORY},3000@127.0.0.1:19094:{OTHER_DIRECTORY}"), None),
    (("--initial-controllers", "3000@127.0.0.1:19093"), None),
], ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else value or "dynamic")
def test_contradictions_are_refused(tmp_path, jvm, flags, voters):
    """cases.md row 85 (KAFKA-19489, 17794, 19719, 18028): two voter sets from one command mixed up. Java refuses each too."""
    refused(Side(tmp_path / "hayward", None, voters), 2, *flags, names="expected")
    java = Side(tmp_path / "java", jvm, voters)
    assert java.format(*flags) != 0, java.said


@contextlib.contextmanager
def small_disk(folder, options):
    folder.mkdir(parents=True)
    if os.geteuid() != 0:
        pytest.skip("LEFT OUT: a full disk needs a mount, and a mount needs root")
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"LEFT OUT: no tmpfs can be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("pages", [0, 1, 2])
def test_full_disk(tmp_path, pages):
    """Whichever file finds no room: exit code 1, nothing is formatted, and with room it works."""
    side = Side(tmp_path / "hayward", dirs=("disk/data",))
    with small_disk(tmp_path / "hayward" / "disk", "size=64k") as disk:
        page = os.sysconf("SC_PAGE_SIZE")
        filler = disk / "filler"
        filler.write_bytes(b"x" * (65536 - pages * page))
        assert side.format("--standalone") == 1, side.said
        assert "No space left on device" in side.said and str(side.dirs[0]) in side.said, side.said
        assert side.files() == [], side.said
        filler.unlink()
        assert side.format("--standalone") == 0, side.said
        assert "data/meta.properties" in " ".join(side.files())


def test_parent_that_cannot_be_written(tmp_path):
    side = Side(tmp_path / "hayward", dirs=("parent/data",))
    (side.folder / "parent").write_text("a file where a folder should be")
    refused(side, 1, "--standalone", names=str(side.folder / "parent"))
    with small_disk(tmp_path / "disk", "ro") as disk:
        side = Side(tmp_path / "other", dirs=())
        side.dirs = [disk / "data"]
        text = side.config.read_text().replace("log.dirs=", f"log.dirs={disk / 'data'}")
        side.config.write_text(text)
        refused(side, 1, "--standalone", names=str(disk))
