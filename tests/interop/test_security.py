"""ACLs, quotas, SCRAM users and delegation tokens by the stock tools, through a real broker whose clients
authenticate, against a controller with Kafka's authorizer."""
import pytest

from tests.conftest import Cluster
from tests.harness.processes import wait_until, write_properties

STANDARD = {"authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:ANONYMOUS;User:admin", "delegation.token.secret.key": "a secret key"}
USERS = ("admin", "alice", "bob")
LOGIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="{0}" password="{0}-pw"'


@pytest.fixture(scope="module")
def secured(tmp_path_factory, jvm):
    """.controller, .broker_1 with a SASL listener beside its plain one, .as_user(name): arguments of a tool."""
    maker = Cluster(tmp_path_factory.mktemp("secured"), jvm)
    try:
        maker.controller = maker.hayward(settings=STANDARD)
        broker = maker.broker(maker.controller, start=False, settings=STANDARD)
        maker.sasl_port = broker.port + 1
        accounts = " ".join(f'user_{user}="{user}-pw"' for user in USERS)
        broker.settings.update({
            "listeners": f"PLAINTEXT://127.0.0.1:{broker.port},CLIENTS://127.0.0.1:{maker.sasl_port}",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,CLIENTS:SASL_PLAINTEXT",
            "sasl.enabled.mechanisms": "PLAIN",
            "listener.name.clients.plain.sasl.jaas.config": f"{LOGIN.format('admin')} {accounts};"})
        write_properties(broker.config, broker.settings)
        broker.start().wait_running(timeout=180)
        maker.broker_1 = broker

        def as_user(user):
            path = maker.folder / f"{user}.properties"
            write_properties(path, {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN",
                                    "sasl.jaas.config": LOGIN.format(user) + ";"})
            return "--bootstrap-server", f"127.0.0.1:{maker.sasl_port}", "--command-config", path
        maker.as_user = as_user
        yield maker
    finally:
        maker.end()


def tool(secured, user, name, *args, **kwargs):
    return secured.jvm.tool(name, *secured.as_user(user), *args, **kwargs)


def refused(secured, user, name, *args):
    """Whether the tool fails, and says that it is a matter of rights."""
    answer = tool(secured, user, name, *args, check=False)
    text = answer.out + answer.err  # the broker's words, or the controller's
    assert answer.exit != 0 and ("uthoriz" in text or "may not" in text), answer
    return True


def test_acls_open_and_close_what_they_say(secured):
    create = ("topics", "--create", "--topic")
    assert refused(secured, "alice", *create, "alices-1")
    tool(secured, "admin", "acls", "--add", "--allow-principal", "User:alice", "--operation", "Create", "--topic", "alices-",
         "--resource-pattern-type", "prefixed")
    tool(secured, "alice", *create, "alices-1")
    assert refused(secured, "alice", *create, "other")
    assert refused(secured, "bob", *create, "alices-2")
    tool(secured, "admin", "acls", "--add", "--deny-principal", "User:alice", "--operation", "Create", "--topic", "alices-3")
    assert refused(secured, "alice", *create, "alices-3")
    listed = tool(secured, "admin", "acls", "--list").out
    assert "alices-" in listed and "DENY" in listed
    by_controller = secured.jvm.tool("acls", "--bootstrap-controller", secured.controller.bootstrap, "--list").out
    assert "alices-" in by_controller and "DENY" in by_controller
    tool(secured, "admin", "acls", "--remove", "--force", "--topic", "alices-3")
    tool(secured, "alice", *create, "alices-3")
    tool(secured, "admin", "acls", "--remove", "--force", "--topic", "alices-", "--resource-pattern-type", "prefixed")
    assert refused(secured, "alice", *create, "alices-4")


def test_quotas(secured):
    entity = ("--entity-type", "users", "--entity-name", "alice")
    assert refused(secured, "alice", "configs", "--alter", *entity, "--add-config", "producer_byte_rate=1024")
    tool(secured, "admin", "configs", "--alter", *entity, "--add-config", "producer_byte_rate=1024")
    shown = lambda: tool(secured, "admin", "configs", "--describe", *entity).out
    wait_until("the broker shows the quota", lambda: "producer_byte_rate=1024" in shown(), 20)
    tool(secured, "admin", "configs", "--alter", *entity, "--delete-config", "producer_byte_rate")
    wait_until("the broker shows that it is gone", lambda: "producer_byte_rate" not in shown(), 20)


def test_scram_users(secured):
    entity = ("--entity-type", "users", "--entity-name", "carol")
    for credential in ("SCRAM-SHA-256=[iterations=4096,password=secret]", "SCRAM-SHA-512=[password=secret]"):
        tool(secured, "admin", "configs", "--alter", *entity, "--add-config", credential)
    shown = lambda: tool(secured, "admin", "configs", "--describe", *entity).out
    wait_until("the broker shows both", lambda: "SCRAM-SHA-256" in shown() and "SCRAM-SHA-512" in shown(), 20)
    tool(secured, "admin", "configs", "--alter", *entity, "--delete-config", "SCRAM-SHA-256")
    wait_until("the broker shows one", lambda: "SCRAM-SHA-256" not in shown() and "SCRAM-SHA-512" in shown(), 20)


def field(text, position):
    """A column of the one token that the tool has told of."""
    return text.strip().splitlines()[-1].split()[position]


def test_delegation_tokens(secured):
    created = tool(secured, "alice", "delegation-tokens", "--create", "--max-life-time-period", "-1", "--renewer-principal", "User:bob").out
    token, hmac = field(created, 0), field(created, 1)
    renew = ("delegation-tokens", "--renew", "--renew-time-period", "3600000", "--hmac", hmac)
    tool(secured, "bob", *renew)
    described = lambda: tool(secured, "alice", "delegation-tokens", "--describe", "--owner-principal", "User:alice").out
    wait_until("the broker shows the token", lambda: token in described(), 20)
    assert tool(secured, "admin", *renew, check=False).exit != 0, "neither owner nor renewer"
    tool(secured, "alice", "delegation-tokens", "--expire", "--expiry-time-period", "-1", "--hmac", hmac)
    wait_until("the token is gone", lambda: token not in described(), 20)
    types = [r["type"] for r in secured.controller.records(secured.jvm) if "DelegationToken" in r["type"]]
    assert types == ["DelegationTokenRecord", "DelegationTokenRecord", "RemoveDelegationTokenRecord"]


def test_they_last_through_a_restart(secured):
    tool(secured, "admin", "acls", "--add", "--allow-principal", "User:alice", "--operation", "Create", "--topic", "lasting")
    secured.controller.kill()
    secured.controller.start().wait_ready()
    wait_until("alice may still create it", lambda: tool(secured, "alice", "topics", "--create", "--if-not-exists", "--topic", "lasting",
                                                        check=False).exit == 0, 40, 1)
    assert refused(secured, "bob", "topics", "--create", "--topic", "of-bob")


def test_a_broker_that_may_not_act_lives_to_see_it_put_right(cluster, jvm):
    """cases.md row P2: one ACL too many denies the broker everything; Java's controller would have ended it."""
    controller = cluster.hayward(settings={"authorizer.class.name": STANDARD["authorizer.class.name"], "broker.session.timeout.ms": 3000,
                                           "allow.everyone.if.no.acl.found": "true"})
    broker = cluster.broker(controller, settings={"broker.heartbeat.interval.ms": 500})
    every_one = {"resourceType": 4, "resourceName": "kafka-cluster", "resourcePatternType": 3, "principal": "User:ANONYMOUS", "host": "*"}
    allow_all = {**every_one, "operation": 2, "permissionType": 3}
    deny_action = {**every_one, "operation": 9, "permissionType": 2}
    for acl in (allow_all, deny_action):
        assert jvm.rpc(controller.port, 30, 3, {"creations": [acl]})["response"]["results"][0]["errorCode"] == 0
    wait_until("the broker's fetches are refused", lambda: "UNKNOWN_SERVER_ERROR in FETCH response" in broker.log(), 20)
    wait_until("it is fenced", lambda: any(r["data"].get("fenced") == 1 for r in controller.records(jvm, "BrokerRegistrationChangeRecord")), 20)
    assert broker.alive()
    assert controller.log().count("may not do CLUSTER_ACTION") == 1
    denied = {"resourceTypeFilter": 4, "resourceNameFilter": "kafka-cluster", "patternTypeFilter": 3, "principalFilter": None, "hostFilter": None,
              "operation": 9, "permissionType": 2}
    answer = jvm.rpc(controller.port, 31, 3, {"filters": [denied]})["response"]["filterResults"][0]
    assert answer["errorCode"] == 0 and len(answer["matchingAcls"]) == 1, answer
    jvm.tool("topics", "--bootstrap-server", broker.bootstrap, "--create", "--topic", "afterwards")
    assert broker.alive()
