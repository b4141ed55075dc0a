"""Network namespaces, one for each controller of a quorum, on a bridge, so that the way from one to another can be cut, in one
direction too, or one be unplugged. To be used by root of a network namespace of its own (`unshare -rn`): nothing of the machine's
network is touched.

A way is cut by a false hardware address for the other: packets leave and reach nobody, as with a broken cable; no error comes back.
"""
import subprocess
import time

NOWHERE = "02:00:00:00:00:99"


def ip(*arguments, inside=()):
    subprocess.run([*inside, "ip", *map(str, arguments)], check=True, capture_output=True, text=True)


class Islands:
    """`hosts` has the address of each id; the caller's process is on the bridge. Several at a time: each with a `net` (1-254) of
    its own."""

    def __init__(self, ids, net=9):
        self.hosts, self.bridge = {node: f"10.{net}.0.{i}" for i, node in enumerate(ids, 1)}, f"br{net}"
        self.keepers, self.veths, self.inside, self.cuts, self.unplugged = {}, {}, {}, set(), set()
        ip("link", "set", "lo", "up")
        ip("link", "add", self.bridge, "type", "bridge")
        ip("addr", "add", f"10.{net}.0.254/24", "dev", self.bridge)
        ip("link", "set", self.bridge, "up")
        for node, host in self.hosts.items():
            self._add(node, host)  # as a veth with a name that only this keeper has: the kernel removes an old one late

    def _add(self, node, host):
        keeper = subprocess.Popen(["unshare", "-n", "sleep", "3600"])
        self.keepers[node] = keeper
        self.veths[node] = f"veth{keeper.pid}"
        ours = f"/proc/{keeper.pid}/ns/net"
        mine = subprocess.run(["readlink", "/proc/self/ns/net"], capture_output=True, text=True, check=True).stdout
        while subprocess.run(["readlink", ours], capture_output=True, text=True).stdout in (mine, ""):
            time.sleep(0.01)
        self.inside[node] = ["nsenter", f"--net={ours}", "--"]
        ip("link", "add", self.veths[node], "type", "veth", "peer", "name", "eth0", "netns", keeper.pid)
        ip("link", "set", self.veths[node], "master", self.bridge, "up")
        ip("link", "set", "lo", "up", inside=self.inside[node])
        ip("addr", "add", f"{host}/24", "dev", "eth0", inside=self.inside[node])
        ip("link", "set", "eth0", "up", inside=self.inside[node])

    def cut(self, sender, receiver):
        """What `sender` sends to `receiver` is lost from now on; the other direction works on."""
        ip("neigh", "replace", self.hosts[receiver], "lladdr", NOWHERE, "dev", "eth0", "nud", "permanent", inside=self.inside[sender])
        self.cuts.add((sender, receiver))

    def isolate(self, node):
        """From the other nodes; not from the caller's process."""
        for other in self.hosts:
            if other != node:
                self.cut(node, other)
                self.cut(other, node)

    def unplug(self, node):
        """From everybody, at once: the bridge drops what it sends and what is sent to it."""
        self._bridge_port(node, "disabled")
        self.unplugged.add(node)

    def _bridge_port(self, node, state):
        number = {"disabled": "0", "forwarding": "3"}[state]
        subprocess.run(["bridge", "link", "set", "dev", self.veths[node], "state", number], check=True, capture_output=True)

    def heal(self):
        for node in self.unplugged:
            self._bridge_port(node, "forwarding")
        self.unplugged.clear()
        for sender, receiver in self.cuts:
            ip("neigh", "del", self.hosts[receiver], "dev", "eth0", inside=self.inside[sender])
        self.cuts.clear()

    def end(self):
        for device in (self.bridge, *self.veths.values()):
            subprocess.run(["ip", "link", "del", device], capture_output=True)
        for keeper in self.keepers.values():
            keeper.kill()
            keeper.wait()
