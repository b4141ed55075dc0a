"""Raft requests that anyone may send and nobody may be hurt by (cases.md, "requests no one should be able to hurt us with")."""
from tests.harness.processes import CLUSTER_ID

NO_DIRECTORY, A_DIRECTORY = "AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAACQ"
FAR = 2**31 - 1


def vote(to, candidate, epoch, log_epoch, pre):
    return 52, 2, {"clusterId": CLUSTER_ID, "voterId": to, "topics": [{"topicName": "__cluster_metadata", "partitions": [
        {"partitionIndex": 0, "lastOffsetEpoch": log_epoch, "lastOffset": 10**6, "voterDirectoryId": NO_DIRECTORY,
         "replicaDirectoryId": NO_DIRECTORY, "replicaEpoch": epoch, "replicaId": candidate, "preVote": pre}]}]}


def epoch_change(key, to, leader, epoch, endpoints):
    """BeginQuorumEpoch (53) or EndQuorumEpoch (54)."""
    partition = {"partitionIndex": 0, "leaderId": leader, "leaderEpoch": epoch}
    body = {"clusterId": CLUSTER_ID, "leaderEndpoints": endpoints, "topics": [{"topicName": "__cluster_metadata", "partitions": [partition]}]}
    if key == 53:
        body["voterId"], partition["voterDirectoryId"] = to, NO_DIRECTORY
    else:
        partition["preferredCandidates"] = []
    return key, 1, body


def requests(to, epoch, strangers, voters=()):
    """(api, version, body) of each, for node `to`, whose epoch is `epoch`. `voters`: other nodes in whose name only what is
    impossible is said."""
    endpoint = [{"name": "CONTROLLER", "host": "127.0.0.1", "port": 1}]
    all = [vote(to, c, e, epoch, pre) for c in (to, *strangers) for e in (epoch + 1, epoch + 1000, FAR) for pre in (False, True)]
    all += [vote(to, c, FAR, epoch, pre) for c in voters for pre in (False, True)]
    all += [epoch_change(key, to, leader, e, ends) for key in (53, 54) for leader in (to, *strangers)
            for e in (epoch, epoch + 1, FAR) for ends in ([], endpoint)]
    all += [epoch_change(key, to, leader, FAR, endpoint) for key in (53, 54) for leader in voters]
    voter = {"clusterId": None, "voterId": to, "voterDirectoryId": A_DIRECTORY}
    return all + [
        (52, 2, {"clusterId": None, "voterId": -1, "topics": []}),
        (53, 1, {"clusterId": None, "voterId": -1, "topics": [], "leaderEndpoints": []}),
        (54, 1, {"clusterId": None, "topics": [], "leaderEndpoints": []}),
        (59, 1, {"clusterId": None, "replicaId": 1, "maxBytes": 1000, "topics": []}),
        (59, 1, {"clusterId": None, "replicaId": 1, "maxBytes": -1, "topics": [{"name": "__cluster_metadata", "partitions": []}]}),
        (80, 1, {**voter, "timeoutMs": 100, "voterId": 9, "ackWhenCommitted": True, "listeners": [{"name": "CONTROLLER", "host": "", "port": 1}]}),
        (82, 0, {**voter, "currentLeaderEpoch": epoch, "listeners": [{"name": "", "host": "h", "port": 1}],
                 "kRaftVersionFeature": {"minSupportedVersion": 0, "maxSupportedVersion": 1}}),
        (81, 0, voter)]
