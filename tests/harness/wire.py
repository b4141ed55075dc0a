"""The few requests that quorum tests and benches send on bare sockets: no JVM between, and a frozen node holds up nobody."""
import base64
import selectors
import socket
import struct
import time

CREATE_TOPICS, DESCRIBE_QUORUM = (19, 7), (55, 2)
NONE, TOPIC_EXISTS, NOT_CONTROLLER = 0, 36, 41
RETRY_S = 0.005  # until a port that refused, closed or said NOT_CONTROLLER is asked again
NO_BROKER_YET = (37, 38)  # too few brokers are unfenced: only an active controller says so


class Reader:
    """Kafka's flexible encoding, as far as the answers below need it."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        value, = struct.unpack_from(">" + form, self.data, self.at)
        self.at += struct.calcsize(form)
        return value

    def varint(self):
        value = shift = 0
        while True:
            byte = self.take("B")
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def text(self):
        size = self.varint() - 1
        if size < 0:
            return None
        self.at += size
        return self.data[self.at - size:self.at].decode()

    def uuid(self):
        self.at += 16
        return base64.urlsafe_b64encode(self.data[self.at - 16:self.at]).decode().rstrip("=")

    def array(self, item):
        items = []
        for _ in range(self.varint() - 1):
            items.append(item())
            self.tags()
        return items

    def tags(self):
        for _ in range(self.varint()):
            self.varint()
            self.at += self.varint()


def frame(api, body, correlation=1, client=b"hayward-tests"):
    key, version = api
    payload = struct.pack(">hhih", key, version, correlation, len(client)) + client + b"\0" + body
    return struct.pack(">i", len(payload)) + payload


def text(value):
    return bytes([len(value) + 1]) + value.encode()


def create_topics(name, partitions=1, replication_factor=1, timeout_ms=5000, correlation=1, validate_only=False):
    topic = text(name) + struct.pack(">ih", partitions, replication_factor) + b"\1\1\0"
    return frame(CREATE_TOPICS, b"\2" + topic + struct.pack(">i?", timeout_ms, validate_only) + b"\0", correlation)


def created(answer):
    """The error code of the one topic of a CreateTopics v7 answer (without its size)."""
    r = Reader(answer)
    r.take("i"), r.tags(), r.take("i"), r.varint(), r.text(), r.uuid()
    return r.take("h")


def describe_quorum():
    return frame(DESCRIBE_QUORUM, b"\2" + text("__cluster_metadata") + b"\2" + struct.pack(">i", 0) + b"\0\0\0")


def described(answer):
    """A DescribeQuorum v2 answer: error, leader, epoch, high_watermark, voters, observers {id: {...}}, nodes {id: {listener: port}}."""
    r = Reader(answer)
    r.take("i"), r.tags()
    result = {"error": r.take("h"), "leader": -1}
    r.text()

    def replica():
        return {"id": r.take("i"), "directory": r.uuid(), "end": r.take("q"), "fetched_ms": r.take("q"), "caught_up_ms": r.take("q")}

    def partition():
        r.take("i")
        result["error"] = result["error"] or r.take("h")
        r.text()
        result.update(leader=r.take("i"), epoch=r.take("i"), high_watermark=r.take("q"))
        for group in ("voters", "observers"):
            result[group] = {item["id"]: item for item in r.array(replica)}

    r.array(lambda: (r.text(), r.array(partition)))
    result["nodes"] = dict(r.array(lambda: (r.take("i"), dict(r.array(lambda: (r.text(), (r.text(), r.take("H"))))))))
    return result


def receive(s, size):
    data = b""
    while len(data) < size:
        more = s.recv(size - len(data))
        if not more:
            raise ConnectionError("closed")
        data += more
    return data


def ask(port, request, timeout_s=2.0, host="127.0.0.1"):
    """One request on a connection of its own; the answer without its size; None: nobody answered in time."""
    try:
        with socket.create_connection((host, port), timeout=timeout_s) as s:
            s.settimeout(timeout_s)
            s.sendall(request)
            return receive(s, struct.unpack(">i", receive(s, 4))[0])
    except OSError:
        return None


class Port:
    """One connection with at most one request on its way; never blocks."""

    def __init__(self, host, port):
        self.address, self.socket, self.data, self.waits, self.next_s, self.request = (host, port), None, b"", False, 0.0, None

    def close(self, selector):
        if self.socket:
            selector.unregister(self.socket)
            self.socket.close()
        self.socket, self.data, self.waits, self.next_s = None, b"", False, time.monotonic() + RETRY_S

    def send(self, selector, request):
        """Connects when need be: on loopback that is done or refused at once; elsewhere the send is tried again."""
        try:
            if not self.socket:
                self.socket = socket.socket()
                self.socket.setblocking(False)
                self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                selector.register(self.socket, selectors.EVENT_READ, self)
                self.socket.connect_ex(self.address)
            self.socket.send(request)
            self.waits = True
        except BlockingIOError:
            self.next_s = time.monotonic() + RETRY_S
        except OSError:
            self.close(selector)

    def receive(self):
        """A whole answer, or None when there is more to come; raises OSError when it was closed."""
        more = self.socket.recv(1 << 16)
        if not more:
            raise ConnectionError("closed")
        self.data += more
        if len(self.data) < 4 or len(self.data) < 4 + struct.unpack(">i", self.data[:4])[0]:
            return None
        answer, self.data, self.waits = self.data[4:], b"", False
        return answer


class Creator:
    """Creates topics through whichever of the ports takes them: each is asked at once, and again as long as nobody has.
    What was acknowledged stands in `acknowledged`. Of brokers one must be unfenced."""

    def __init__(self, addresses, prefix="t"):
        self.ports = [Port(host, port) for host, port in addresses]
        self.selector, self.prefix, self.count, self.acknowledged = selectors.DefaultSelector(), prefix, 0, []
        self.names = {}

    def add(self, address):
        """One more (host, port) to ask; from any thread."""
        self.ports = [*self.ports, Port(*address)]

    def create(self, timeout_s=60.0):
        """Until one topic more is acknowledged: the (host, port) that did it. Raises TimeoutError."""
        deadline = time.monotonic() + timeout_s
        last = None
        while time.monotonic() < deadline:
            for port in self.ports:
                if not port.waits and time.monotonic() >= port.next_s:
                    self.count += 1
                    self.names[port] = f"{self.prefix}-{self.count}"
                    port.send(self.selector, create_topics(self.names[port], correlation=self.count))
            for key, _ in self.selector.select(RETRY_S / 2):
                port = key.data
                try:
                    answer = port.receive()
                except OSError:
                    port.close(self.selector)
                    continue
                if answer is None:
                    continue
                last = created(answer)
                if last == NONE:
                    self.acknowledged.append(self.names[port])
                    return port.address
                port.next_s = time.monotonic() + RETRY_S
        raise TimeoutError(f"no topic was created within {timeout_s} s; last error {last}")

    def settle(self, timeout_s=5.0):
        """Waits for the answers that are still on their way from an earlier create()."""
        deadline = time.monotonic() + timeout_s
        while any(p.waits for p in self.ports) and time.monotonic() < deadline:
            for key, _ in self.selector.select(0.05):
                try:
                    answer = key.data.receive()
                    if answer is not None and created(answer) == NONE:
                        self.acknowledged.append(self.names[key.data])
                except OSError:
                    key.data.close(self.selector)

    def close(self):
        for port in self.ports:
            port.close(self.selector)
        self.selector.close()
