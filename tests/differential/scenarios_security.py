"""Scenarios about quotas, SCRAM credentials, ACLs and delegation tokens, and about who may do what (played as
scenarios.py says)."""
import time

from .side import create, heartbeat, register, running, topic

LITERAL, PREFIXED = 3, 4
TOPIC, GROUP, CLUSTER, USER = 2, 3, 4, 7
ANY, ALL, READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE, CLUSTER_ACTION, DESCRIBE_CONFIGS, ALTER_CONFIGS = range(1, 12)
CREATE_TOKENS = 13
DENY, ALLOW = 2, 3

AUTHORIZER = {"authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer"}
# The broker's connection is a super user's; clients come in Envelopes.
BROKERS_MAY = {**AUTHORIZER, "super.users": "User:ANONYMOUS;User:admin"}
TOKENS = {"delegation.token.secret.key": "the secret key"}


# --- quotas and credentials

def quota(side, entity, *ops, validate_only=False, version=1):
    entries = [{"entity": [{"entityType": t, "entityName": n} for t, n in entity],
                "ops": [{"key": k, "value": 0.0 if v is None else v, "remove": v is None} for k, v in ops]}]
    side.rpc(f"quota {entity} {ops}", 49, version, {"entries": entries, "validateOnly": validate_only})


def client_quotas(side):
    alice, rate = [("user", "alice")], "producer_byte_rate"
    quota(side, alice, (rate, 1024.0), version=0)
    quota(side, alice, (rate, 1024.0))                             # unchanged: no record
    quota(side, alice, (rate, 2048.0), ("consumer_byte_rate", 5.0), ("request_percentage", 12.5), ("controller_mutation_rate", 0.5))
    quota(side, alice, (rate, 1.0), validate_only=True)
    quota(side, [("user", "alice"), ("client-id", None)], (rate, 1.0))
    quota(side, [("client-id", None), ("user", None)], (rate, 3.0))
    quota(side, [("client-id", "c")], (rate, 3.0))
    quota(side, alice, (rate, None))
    quota(side, alice, (rate, None))                               # not there any more
    quota(side, alice, ("nonsense", None))
    quota(side, alice, ("nonsense", 1.0))
    quota(side, alice, ("connection_creation_rate", 1.0))
    for bad in (0.0, -1.0, 1.5, 1e30):
        quota(side, alice, (rate, bad))
    quota(side, alice, ("request_percentage", 1e30))
    quota(side, [])
    quota(side, [("group", "g")], (rate, 1.0))
    quota(side, [("user", "")], (rate, 1.0))
    quota(side, [("user", "a"), ("ip", "1.2.3.4")], (rate, 1.0))
    for ip in ("1.2.3.4", None, "::1", "1.2", "localhost"):
        quota(side, [("ip", ip)], ("connection_creation_rate", 7.0))
    for ip in ("1.2.3.456", "300.1.1.1", "no such host.invalid", "1:2"):
        quota(side, [("ip", ip)], ("connection_creation_rate", 7.0))
    quota(side, [("ip", "1.2.3.4")], ("connection_creation_rate", 1e10))
    quota(side, [("ip", "1.2.3.4")], (rate, 1.0))
    quota(side, alice, (rate, 1.0), (rate, 2.0))
    quota(side, [("user", "first"), ("user", "last")], (rate, 9.0))
    entry = {"entity": [{"entityType": "user", "entityName": "bob"}], "ops": [{"key": rate, "value": 8.0, "remove": False}]}
    side.rpc("entity twice", 49, 1, {"entries": [entry, entry], "validateOnly": False})


def mutation_quota(side):
    """alice has her burst at once, and then waits for hours."""
    def ask(what, user, key, version, body):
        answer = side.rpc(f"{what} by {user}", key, version, {**body, "timeoutMs": 5000}, **as_user(user))
        side.steps.append((f"{what} by {user} v{version}: throttled", answer.get("throttleTimeMs", 0) > 0))

    def create_as(user, name, version=7, validate_only=False, assignments=None):
        ask(f"create {name}", user, 19, version, {"topics": [topic(name, assignments or {0: [1], 1: [1], 2: [1]})],
                                                  "validateOnly": validate_only})

    def grow(user, count, version=3):
        ask(f"grow to {count}", user, 37, version, {"topics": [{"name": "first", "count": count, "assignments": None}], "validateOnly": False})

    running(side, 1)
    quota(side, [("user", "alice")], ("controller_mutation_rate", 0.0001))
    quota(side, [("user", "bob"), ("client-id", None)], ("controller_mutation_rate", 1e6))
    side.wait_for_tokens()
    create_as("alice", "first")
    create_as("alice", "second")                                   # used up
    create_as("alice", "second", validate_only=True)
    create_as("alice", "third", assignments={0: [9]})              # refused for another reason, with no charge
    create_as("alice", "old", version=5)                           # does not know the error: served, and told to wait
    create_as("bob", "fourth")
    create_as("eve", "fifth")
    grow("alice", 4)
    grow("alice", 3)                                               # no increase: the reason comes before the quota
    grow("alice", 4, version=2)
    grow("bob", 5)
    for name in ("fourth", "absent"):
        ask(f"delete {name}", "alice", 20, 6, {"topics": [{"name": name, "topicId": "AAAAAAAAAAAAAAAAAAAAAA"}]})
    ask("delete fourth", "alice", 20, 5, {"topicNames": ["fourth"]})
    ask("delete fourth", "alice", 20, 4, {"topicNames": ["fourth"]})
    ask("delete fifth", "bob", 20, 5, {"topicNames": ["fifth"]})
    quota(side, [("user", "alice")], ("controller_mutation_rate", None))
    side.wait_for_tokens()
    create_as("alice", "second")


def scram(side):
    def alter(what, deletions=(), upsertions=()):
        side.rpc(what, 51, 0, {
            "deletions": [{"name": n, "mechanism": m} for n, m in deletions],
            "upsertions": [{"name": n, "mechanism": m, "iterations": i, "salt": "c2FsdA==", "saltedPassword": p}
                           for n, m, i, p in upsertions]})
    alter("two mechanisms of two users", upsertions=[("a", 1, 4096, "cGFzcw=="), ("b", 2, 16384, "cGFzcw==")])
    alter("again", upsertions=[("a", 1, 4096, "cGFzcw==")])
    alter("bad values", upsertions=[("c", 1, 4095, "cGFzcw=="), ("d", 2, 16385, "cGFzcw=="), ("e", 0, 4096, "cGFzcw=="),
                                    ("f", 9, 4096, "cGFzcw=="), ("", 1, 4096, "cGFzcw=="), ("g", 1, 4096, "")])
    alter("absent", deletions=[("nobody", 1), ("a", 2), ("a2", 7), ("", 1)])
    alter("twice", deletions=[("a", 1)], upsertions=[("a", 2, 4096, "cGFzcw=="), ("h", 1, 4096, "cGFzcw=="), ("h", 2, 4096, "cGFzcw==")])
    alter("deleted twice", deletions=[("a", 1), ("a", 1), ("b", 2)])
    alter("both", deletions=[("a", 1)], upsertions=[("z", 1, 5000, "cGFzcw==")])
    alter("nothing")


# --- ACLs

def entry(kind=TOPIC, name="t", pattern=LITERAL, principal="User:alice", host="*", operation=READ, permission=ALLOW):
    return {"resourceType": kind, "resourceName": name, "resourcePatternType": pattern, "principal": principal, "host": host,
            "operation": operation, "permissionType": permission}


def allow(side, *entries, version=3, **options):
    side.rpc("create ACLs", 30, version, {"creations": list(entries)}, **options)
    if side.name == "java":
        time.sleep(0.5)  # its authorizer hears of them from a publisher, some time after the answer


def acl_filter(kind=ANY, name=None, pattern=ANY, principal=None, host=None, operation=ANY, permission=ANY):
    return {"resourceTypeFilter": kind, "resourceNameFilter": name, "patternTypeFilter": pattern, "principalFilter": principal,
            "hostFilter": host, "operation": operation, "permissionType": permission}


def described(side, **fields):
    version = fields.pop("version", 3)
    side.rpc(f"ACLs {fields}", 29, version, acl_filter(**fields))


def remove(side, *filters, version=3):
    side.rpc(f"delete ACLs {filters}", 31, version, {"filters": list(filters)})


def no_authorizer(side):
    allow(side, entry(), entry(operation=WRITE))
    allow(side, entry(kind=ANY))
    remove(side, acl_filter(), acl_filter(kind=TOPIC))
    described(side)
    allow(side, entry(kind=0))


def acls(side):
    allow(side, entry(), entry(), entry(operation=WRITE))
    allow(side, entry(), version=1)                                # it is there
    allow(side, entry(name="pre", pattern=PREFIXED), entry(name="*"), entry(kind=CLUSTER, name="kafka-cluster", operation=ALTER),
          entry(kind=GROUP, name="g", permission=DENY, host="10.0.0.1"), entry(host=""), version=2)
    allow(side, entry(name=""), entry(kind=CLUSTER, name="other"), entry(principal="alice"), entry(principal=""),
          entry(kind=77), entry(pattern=77), entry(operation=77), entry(permission=77), entry(name="good"))
    for bad in (entry(kind=ANY), entry(pattern=1), entry(pattern=2), entry(operation=ANY), entry(permission=1)):
        allow(side, entry(name="unharmed"), bad)
    for bad in (entry(kind=0), entry(pattern=0), entry(operation=0), entry(permission=0)):
        allow(side, bad)
    for version in (1, 2, 3):
        described(side, version=version)
    described(side, kind=TOPIC, name="t")
    described(side, name="prefixed", pattern=2)                    # MATCH
    described(side, name="pre", pattern=PREFIXED)
    described(side, name="g", pattern=2)
    described(side, principal="User:bob")
    described(side, host="10.0.0.1")
    described(side, operation=WRITE, permission=ALLOW)
    described(side, permission=DENY)
    described(side, kind=77)
    described(side, pattern=0)
    remove(side, acl_filter(name="t", operation=WRITE), acl_filter(name="t", operation=WRITE), acl_filter(kind=77),
           acl_filter(principal="User:nobody"))
    remove(side, acl_filter(kind=0))
    remove(side, acl_filter(name="prefixed", pattern=2), version=1)
    remove(side, acl_filter(), acl_filter(kind=TOPIC))
    remove(side, acl_filter())
    described(side)


def more_acls_than_one_request_may_take(side):
    """cases.md 35: over the cap there is a clear error, and nothing is removed."""
    for part in range(3):
        creations = [entry(name=f"t{part}-{i}") for i in range(4000)]
        side.rpc(f"create {part}", 30, 3, {"creations": creations})
    side.rpc("too many at once", 30, 3, {"creations": [entry(name=f"x{i}") for i in range(10001)] + [entry(name="")]})
    remove(side, acl_filter(kind=TOPIC, name="t0-0"), acl_filter(), acl_filter(kind=TOPIC, name="t0-1"))
    remove(side, *[acl_filter(kind=TOPIC, name=f"t0-{i}") for i in range(20)])


# --- who may do what

def as_user(name, **more):
    return {"forward": True, "principal": name, **more}


def rights_by_envelope(side):
    """A broker hands on what its clients ask; each client has its own rights."""
    running(side, 1)
    ids = create(side, topic("a", {0: [1]}), topic("ab", {0: [1]}), topic("secret", {0: [1]}))
    allow(side, entry(principal="User:maker", name="m", pattern=PREFIXED, operation=CREATE),
          entry(principal="User:maker", name="m-seen", operation=DESCRIBE_CONFIGS),
          entry(principal="User:maker", name="m-denied", operation=CREATE, permission=DENY),
          entry(principal="User:seer", name="a", pattern=PREFIXED, operation=DESCRIBE),
          entry(principal="User:dropper", name="a", operation=DELETE), entry(principal="User:grower", name="a", operation=ALTER),
          entry(principal="User:setter", name="a", operation=ALTER_CONFIGS),
          entry(principal="User:setter", kind=GROUP, name="g", operation=ALTER_CONFIGS),
          entry(principal="User:all", kind=CLUSTER, name="kafka-cluster", operation=ALL),
          entry(principal="User:far", kind=CLUSTER, name="kafka-cluster", operation=ALL, host="10.0.0.9"),
          entry(principal="User:v6", kind=CLUSTER, name="kafka-cluster", operation=ALL, host="0:0:0:0:0:0:0:1"))
    new = [topic(n, {0: [1]}) for n in ("m-seen", "m-blind", "m-denied", "n", "__cluster_metadata", "n")]
    for user in ("maker", "nobody", "admin"):
        side.rpc(f"create by {user}", 19, 7, {"topics": new, "timeoutMs": 5000, "validateOnly": False}, **as_user(user))
    for user in ("nobody", "seer", "dropper"):
        side.rpc(f"delete by name by {user}", 20, 5, {"topicNames": ["a", "ab", "secret", "absent"], "timeoutMs": 5000}, **as_user(user))
        for i in (ids["ab"], ids["secret"], "unknownTopicIdAAAAAAAA"):
            side.rpc(f"delete by id by {user}", 20, 6, {"topics": [{"name": None, "topicId": i}], "timeoutMs": 5000}, **as_user(user))
    create(side, topic("a", {0: [1]}))
    for user in ("nobody", "grower"):
        grow = [{"name": n, "count": 2, "assignments": [{"brokerIds": [1]}]} for n in ("a", "ab", "absent")]
        side.rpc(f"grow by {user}", 37, 3, {"topics": grow, "timeoutMs": 5000, "validateOnly": False}, **as_user(user))
    changes = [(2, "a", "retention.ms", "5"), (2, "ab", "retention.ms", "5"), (2, "absent", "retention.ms", "5"),
               (4, "1", "log.cleaner.threads", "2"), (8, "3000", "x", "INFO"), (16, "m", "interval.ms", "1000"),
               (32, "g", "consumer.session.timeout.ms", "50000"), (32, "h", "consumer.session.timeout.ms", "50000"), (99, "x", "y", "z")]
    for user in ("nobody", "setter", "all"):
        resources = [{"resourceType": t, "resourceName": n, "configs": [{"name": k, "configOperation": 0, "value": v}]}
                     for t, n, k, v in changes]
        for one in resources:
            side.rpc(f"alter by {user}", 44, 1, {"resources": [one], "validateOnly": True}, **as_user(user))
            for config in one["configs"]:
                config.pop("configOperation")
            side.rpc(f"replace by {user}", 33, 2, {"resources": [one], "validateOnly": True}, **as_user(user))
    for user, more in (("nobody", {}), ("all", {}), ("far", {}), ("far", {"address": "10.0.0.9"}), ("v6", {"address": "::1"}), ("v6", {})):
        cluster_requests(side, user, **more)


def cluster_requests(side, user, **more):
    """The forwardable requests that ask for one right on the cluster; none changes anything."""
    for key, version, body in (
            (30, 3, {"creations": []}), (31, 3, {"filters": []}),
            (43, 2, {"electionType": 0, "topicPartitions": [], "timeoutMs": 5000}),
            (45, 1, {"timeoutMs": 5000, "topics": [], "allowReplicationFactorChange": True}), (46, 0, {"timeoutMs": 5000, "topics": []}),
            (49, 1, {"entries": [{"entity": [{"entityType": "user", "entityName": "u"}], "ops": []}], "validateOnly": True}),
            (51, 0, {"deletions": [{"name": "u", "mechanism": 1}], "upsertions": []}),
            (55, 2, {"topics": [{"topicName": "x", "partitions": [{"partitionIndex": 0}]}]}),
            (57, 2, {"timeoutMs": 5000, "featureUpdates": [], "validateOnly": True}), (64, 0, {"brokerId": 77}),
            (67, 0, {"brokerId": 77, "brokerEpoch": 1}),
            (80, 0, {"clusterId": "another", "timeoutMs": 100, "voterId": 9, "voterDirectoryId": "dirDirDirDirDirDir091Q", "listeners": []}),
            (81, 0, {"clusterId": "another", "voterId": 9, "voterDirectoryId": "dirDirDirDirDirDir091Q"})):
        side.rpc(f"{key} by {user} {more}", key, version, body, **as_user(user, **more))


def rights_of_a_connection(side):
    """The connection itself is ANONYMOUS: everything is open until an ACL about the cluster is there."""
    epochs = running(side, 1)
    allow(side, entry(kind=CLUSTER, name="kafka-cluster", principal="User:other", operation=ALTER))
    connection_requests(side, epochs)                              # now nothing is
    allow(side, entry(name="closed"))


def rights_of_a_broker(side):
    """ANONYMOUS may do what brokers do, and hands on what admin asks."""
    epochs = running(side, 1)
    allow(side, entry(kind=CLUSTER, name="kafka-cluster", principal="User:ANONYMOUS", operation=CLUSTER_ACTION))
    connection_requests(side, epochs)
    create(side, topic("closed", {0: [1]}), topic("free", {0: [1]}), **as_user("admin"))
    allow(side, entry(name="closed", principal="User:other"), **as_user("admin"))
    side.rpc("describe topics", 32, 4, describe_configs((2, "closed"), (2, "free"), (2, "absent")))
    side.rpc("describe the rest", 32, 4, describe_configs((4, "3000"), (4, ""), (8, "3000"), (16, "m"), (32, "g")))
    allow(side, entry(kind=CLUSTER, name="kafka-cluster", principal="User:ANONYMOUS", operation=ALTER), **as_user("admin"))
    side.rpc("describe cluster", 60, 2, {"includeClusterAuthorizedOperations": True, "endpointType": 2, "includeFencedBrokers": False})
    side.rpc("describe brokers", 60, 2, {"includeClusterAuthorizedOperations": True, "endpointType": 1, "includeFencedBrokers": False})
    allow(side, entry(kind=CLUSTER, name="kafka-cluster", principal="User:ANONYMOUS", operation=ALL, permission=DENY), **as_user("admin"))
    heartbeat(side, 1, epochs[1])                                  # a DENY outweighs it, and closes the Envelope too
    described(side)


def describe_configs(*resources):
    return {"resources": [{"resourceType": t, "resourceName": n, "configurationKeys": ["retention.ms", "interval.ms"]} for t, n in resources],
            "includeSynonyms": False, "includeDocumentation": False}


def connection_requests(side, epochs):
    heartbeat(side, 1, epochs[1])
    heartbeat(side, 1, epochs[1], want_fence=True, version=0)
    register(side, 2)
    side.rpc("an envelope", 64, 0, {"brokerId": 77}, forward=True)
    partition = {"partition": 0, "currentLeaderEpoch": side.epoch_or(1), "fetchOffset": 10**9, "lastFetchedEpoch": 1, "logStartOffset": -1,
                 "partitionMaxBytes": 0}
    for version in (13, 18):
        body = {"clusterId": "another", "maxWaitMs": 0, "minBytes": 0, "maxBytes": 1, "isolationLevel": 0, "sessionId": 0,
                "sessionEpoch": -1, "forgottenTopicsData": [], "rackId": "",
                "topics": [{"topicId": "AAAAAAAAAAAAAAAAAAAAAQ", "partitions": [partition]}]}
        body.update({"replicaState": {"replicaId": 9, "replicaEpoch": -1}} if version >= 15 else {"replicaId": 9})
        side.rpc("fetch", 1, version, body)
    side.rpc("snapshot", 59, 1, {"clusterId": "another", "replicaId": 9, "maxBytes": 100, "topics": []})
    for version in (0, 2):
        side.rpc("quorum", 55, version, {"topics": [{"topicName": "x", "partitions": [{"partitionIndex": 0}]}]})
    side.rpc("vote", 52, 2, {"clusterId": "another", "voterId": 3000, "topics": []})
    side.rpc("begin epoch", 53, 1, {"clusterId": "another", "voterId": 3000, "topics": [], "leaderEndpoints": []})
    side.rpc("end epoch", 54, 1, {"clusterId": "another", "topics": [], "leaderEndpoints": []})
    side.rpc("update voter", 82, 0, {"clusterId": "another", "currentLeaderEpoch": 1, "voterId": 9, "voterDirectoryId": "dirDirDirDirDirDir091Q",
                                     "listeners": [], "kRaftVersionFeature": {"minSupportedVersion": 0, "maxSupportedVersion": 1}})
    side.rpc("remove voter", 81, 0, {"clusterId": "another", "voterId": 9, "voterDirectoryId": "dirDirDirDirDirDir091Q"})
    side.rpc("alter partition", 56, 3, {"brokerId": 9, "brokerEpoch": 1, "topics": []})
    side.rpc("producer ids", 67, 0, {"brokerId": 9, "brokerEpoch": 1})
    side.rpc("assign", 73, 0, {"brokerId": 9, "brokerEpoch": 1, "directories": []})
    side.rpc("register controller", 70, 0, {"controllerId": 3005, "incarnationId": "incarnation05AAAAAAAAA", "zkMigrationReady": False,
                                            "listeners": [], "features": []})
    side.rpc("unregister", 64, 0, {"brokerId": 77})
    for version in (1, 2):
        side.rpc("features", 57, version, {"timeoutMs": 5000, "featureUpdates": [], "validateOnly": True})
    side.rpc("cluster", 60, 1, {"includeClusterAuthorizedOperations": True, "endpointType": 2})
    side.rpc("api versions", 18, 4, {"clientSoftwareName": "test", "clientSoftwareVersion": "1"})
    side.rpc("reassignments", 46, 0, {"timeoutMs": 5000, "topics": None})
    described(side)
    side.rpc("configs", 32, 4, describe_configs((4, "3000"), (8, "3000"), (16, "m"), (2, "t"), (32, "g")))


# --- delegation tokens

def create_token(side, user, owner=None, renewers=(), lifetime=-1, version=3, **more):
    body = {"renewers": [{"principalType": t, "principalName": n} for t, n in renewers], "maxLifetimeMs": lifetime}
    if version >= 3:
        body.update({"ownerPrincipalType": owner and owner[0], "ownerPrincipalName": owner and owner[1]})
    return side.rpc(f"token by {user} for {owner}", 38, version, body, **({"forward": True, "principal": user, **more} if user else more)).get("hmac")


def renew(side, user, hmac, period=-1, version=2, **more):
    side.rpc(f"renew by {user}, {period}", 39, version, {"hmac": hmac, "renewPeriodMs": period}, **as_user(user, **more))


def expire(side, user, hmac, period, version=2, **more):
    side.rpc(f"expire by {user}, {period}", 40, version, {"hmac": hmac, "expiryTimePeriodMs": period}, **as_user(user, **more))


def tokens_are_off(side):
    for user in ("alice", None):
        create_token(side, user)
    renew(side, "alice", "aG1hYw==")
    expire(side, "alice", "aG1hYw==", -1)


def tokens(side):
    create_token(side, None)                                       # a client of this listener itself
    side.rpc("renew directly", 39, 2, {"hmac": "aG1hYw==", "renewPeriodMs": 1})
    side.rpc("expire directly", 40, 2, {"hmac": "aG1hYw==", "expiryTimePeriodMs": 1})
    create_token(side, "alice", by_token=True)
    renew(side, "alice", "aG1hYw==", by_token=True)
    expire(side, "alice", "aG1hYw==", 5, by_token=True)
    create_token(side, "alice", renewers=[("Group", "g")])
    create_token(side, "alice", owner=("Group", "g"))
    side.wait_for_tokens()
    for version in (1, 2, 3):
        create_token(side, "old", version=version)
    mine = create_token(side, "alice", renewers=[("User", "bob"), ("User", "bob")])
    short = create_token(side, "alice", lifetime=1000000)
    longest = create_token(side, "alice", lifetime=2**63 - 1)      # cases.md 44
    lent = create_token(side, "alice", owner=("User", "carol"))
    side.wait_for_tokens()
    renew(side, "alice", mine)
    renew(side, "bob", mine, 3600000, version=1)
    renew(side, "carol", mine)
    renew(side, "alice", mine, 2**63 - 1)
    renew(side, "alice", short, 2**63 - 1)
    renew(side, "alice", longest)
    renew(side, "alice", lent)                                     # its requester is not its owner
    renew(side, "carol", lent)
    renew(side, "alice", "aG1hYw==")
    renew(side, "alice", "")
    expire(side, "carol", mine, -1)
    expire(side, "bob", mine, 60000)
    expire(side, "alice", mine, 2**63 - 1, version=1)
    expire(side, "alice", longest, 0)
    expire(side, "alice", longest, -1)                             # cases.md 44: now
    expire(side, "alice", mine, -1)
    side.wait_for_tokens()
    expire(side, "alice", mine, -1)
    renew(side, "alice", mine)


def tokens_for_others(side):
    allow(side, entry(kind=USER, name="User:carol", principal="User:alice", operation=CREATE_TOKENS),
          entry(kind=USER, name="User:d", pattern=PREFIXED, principal="User:alice", operation=CREATE_TOKENS))
    for owner in (None, ("User", "alice"), ("User", "carol"), ("User", "dave"), ("User", "eve"), ("Group", "carol"), ("User", "")):
        create_token(side, "alice", owner=owner)
    create_token(side, "admin", owner=("User", "eve"))


PLAIN = [(no_authorizer, {}), (client_quotas, {}), (mutation_quota, {}), (scram, {}), (tokens_are_off, {}), (tokens, TOKENS)]
SECURED = [(acls, BROKERS_MAY), (more_acls_than_one_request_may_take, BROKERS_MAY), (rights_by_envelope, BROKERS_MAY),
           (rights_of_a_connection, {**AUTHORIZER, "super.users": "User:admin", "allow.everyone.if.no.acl.found": "true"}),
           (rights_of_a_broker, {**AUTHORIZER, "super.users": "User:admin", "allow.everyone.if.no.acl.found": "true"}),
           (tokens_for_others, {**BROKERS_MAY, **TOKENS})]
