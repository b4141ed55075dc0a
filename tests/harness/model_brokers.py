"""Brokers that only register and heartbeat, so that a quorum without a JVM beside it can create topics; they follow the leader."""
import os
import struct
import threading
import time

from tests.harness import wire

REGISTER, HEARTBEAT = (62, 4), (63, 1)
FEATURES = (("metadata.version", 7, 40), ("kraft.version", 0, 1), ("transaction.version", 0, 2), ("group.version", 0, 1),
            ("eligible.leader.replicas.version", 0, 1), ("share.version", 0, 1), ("streams.version", 0, 1))
RETRY_S = 0.05


def registration(node_id, cluster_id):
    listener = wire.text("PLAINTEXT") + wire.text("127.0.0.1") + struct.pack(">Hh", 1024 + node_id % 60000, 0) + b"\0"
    features = b"".join(wire.text(name) + struct.pack(">hh", low, high) + b"\0" for name, low, high in FEATURES)
    body = struct.pack(">i", node_id) + wire.text(cluster_id) + os.urandom(16) + b"\2" + listener
    body += bytes([len(FEATURES) + 1]) + features + b"\0" + b"\0" + b"\2" + os.urandom(16) + struct.pack(">q", -1) + b"\0"
    return wire.frame(REGISTER, body)


def heartbeat(node_id, epoch, offset):
    return wire.frame(HEARTBEAT, struct.pack(">iqq??", node_id, epoch, offset, False, False) + b"\0")


class ModelBrokers(threading.Thread):
    """`ids` registered and unfenced when start_and_wait() returns; each heartbeats every `interval_s` until stop()."""

    def __init__(self, addresses, ids, cluster_id, interval_s=1.0):
        super().__init__(daemon=True)
        self.addresses, self.ids, self.cluster_id, self.interval_s = list(addresses), list(ids), cluster_id, interval_s
        self.epochs, self.ended, self.unfenced, self.offset, self.problem = {}, threading.Event(), threading.Event(), 0, None

    def start_and_wait(self, timeout_s=90):
        self.start()
        if not self.unfenced.wait(timeout_s):
            self.stop()
            raise AssertionError(f"model brokers {self.ids} were not unfenced within {timeout_s} s: {self.problem}")
        return self

    def stop(self):
        self.ended.set()
        self.join()

    def to_leader(self, request, code_at):
        """The answer of the first controller that does not say NOT_CONTROLLER; None: nobody yet."""
        for address in list(self.addresses):
            answer = wire.ask(address[1], request, 0.5, address[0])
            if answer is None:
                continue
            code, = struct.unpack_from(">h", answer, code_at)
            if code == wire.NOT_CONTROLLER:
                continue
            self.addresses.remove(address)
            self.addresses.insert(0, address)
            self.problem = f"error {code} from {address}" if code else None
            return answer if code == 0 else None
        return None

    def register(self, node_id):
        answer = self.to_leader(registration(node_id, self.cluster_id), 9)
        if answer is None:
            return
        self.epochs[node_id], = struct.unpack_from(">q", answer, 11)
        self.offset = max(self.offset, self.epochs[node_id])

    def beat(self, node_id):
        """Whether it is unfenced. The offset sent is that of the registrations, which every later leader has."""
        answer = self.to_leader(heartbeat(node_id, self.epochs[node_id], self.offset), 9)
        return answer is not None and not answer[12]

    def run(self):
        while not self.ended.is_set():
            for node_id in self.ids:
                if node_id not in self.epochs:
                    self.register(node_id)
            if len(self.epochs) == len(self.ids) and all([self.beat(node_id) for node_id in self.ids]):
                self.unfenced.set()
                self.ended.wait(self.interval_s)
            else:
                self.ended.wait(RETRY_S)
