"""A real broker finds whoever leads, with little to begin from."""
import os
import statistics
import time

from tests.harness.processes import free_port, wait_until
from tests.harness.quorum import Quorum

LONG = bool(os.environ.get("HAYWARD_LONG"))
MOVES = 20 if LONG else 5
MEDIAN_S, MOST_S = 1.0, 5.0


def test_a_broker_follows_every_leader(cluster, jvm):
    """cases.md row 77: of three bootstrap servers two are dead and one follows; the leader moves again and again."""
    quorum = Quorum(cluster, jvm, ["hayward"] * 3, dynamic=True)
    follower = next(n for n in quorum.voters if n != quorum.leader().node_id)
    servers = ",".join([f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}", quorum.address(follower)])
    broker = cluster.broker(quorum, settings={"controller.quorum.bootstrap.servers": servers})
    creator = quorum.creator("made")
    took_s = []
    for _ in range(MOVES):
        quorum.wait_caught_up()
        old = quorum.leader()
        old.stop()
        old.start()
        creator.create()
        told = quorum.describe()
        assert told and told["leader"] != old.node_id
        begun = time.monotonic()
        wait_until(lambda: f"the broker fetches from {told['leader']}: {quorum.describe()}\n{broker.log()[-2000:]}",
                   lambda: ((quorum.describe() or told)["observers"].get(broker.node_id) or {"end": -1})["end"] >= told["high_watermark"], 30)
        took_s.append(time.monotonic() - begun)
    print(f"fetches from the new leader after: median {statistics.median(took_s):.2f} s, most {max(took_s):.2f} s of {MOVES}")
    assert statistics.median(took_s) < MEDIAN_S and max(took_s) < MOST_S, took_s
    assert broker.alive()
