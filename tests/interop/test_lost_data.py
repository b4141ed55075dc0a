"""Acknowledged data that one voter has lost: its vote must not lose it for all (S2)."""
import time

from tests.harness.processes import wait_until


def test_who_gave_up_data_elects_nobody_without_it(with_brokers):
    """Ten topics are on two of three voters. One of the two loses its tail and is started with --accept-data-loss while the other is
    away: with the third, which never had them, it makes no leader. With the one that has them it does, and nothing is lost."""
    quorum = with_brokers(["hayward"] * 3, dynamic=True)
    creator = quorum.creator("made")
    creator.create()
    creator.settle()
    quorum.wait_caught_up()
    keeper = quorum.leader()
    loser, behind = (quorum.nodes[n] for n in quorum.voters if n != keeper.node_id)
    quorum.freeze(behind.node_id)
    for _ in range(10):
        creator.create()
    creator.settle()
    wait_until("both have them", lambda: loser.segments()[-1].stat().st_size == keeper.segments()[-1].stat().st_size, 10)
    loser.stop()
    with open(loser.segments()[-1], "r+b") as segment:
        segment.truncate(loser.segments()[-1].stat().st_size - 1500)
    keeper.kill()
    quorum.thaw(behind.node_id)
    plain = loser.command
    loser.command = lambda: [*plain(), "--accept-data-loss"]
    quorum.start(loser.node_id)
    assert (loser.metadata_log / "lost-data").exists()
    time.sleep(4)  # several elections' time
    assert quorum.describe() is None, quorum.logs()
    quorum.start(keeper.node_id)
    quorum.wait_caught_up()
    assert quorum.check_logs(creator.acknowledged) > 0
    # It has them again: it counts again, and the note of what it lacked goes.
    loser.command = plain
    loser.stop()
    quorum.start(loser.node_id)
    assert not (loser.metadata_log / "lost-data").exists()
    quorum.leader().kill()
    creator.create()
    creator.settle()
