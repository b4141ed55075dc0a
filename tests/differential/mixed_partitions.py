"""The mixed script with elections, replicas on the move, and configs replaced as a whole."""
from .mixed import TOPIC_CONFIGS, Mixed
from .scenarios_partitions import elect, moving, reassign


class MixedPartitions(Mixed):
    def operations(self):
        few = tuple((operation, weight) for operation, weight in super().operations() if operation != self.unregister)
        return *few, (self.elect, 10), (self.reassign, 16), (self.list_moving, 3), (self.replace_configs, 4)

    def config(self, of):
        # (With it a move can end while an ELR is there, of which Java keeps who is no replica any more: 0006.)
        return super().config([entry for entry in of if entry[0] != "min.insync.replicas"])

    def some_partition(self):
        """(name, index) of one that is there, mostly."""
        self.follow()
        if not self.partitions or self.stale():
            return self.name(), self.rng.choice((0, 1, 7))
        return self.rng.choice(sorted(self.partitions))

    def elect(self):
        kind = self.rng.choice((0, 0, 1))
        if self.rng.random() < 0.2:
            elect(self.side, kind, None)
        else:
            name, index = self.some_partition()
            elect(self.side, kind, {name: [index]})

    def reassign(self):
        name, index = self.some_partition()
        target = self.replicas()
        # (What Java makes of another target for a move that goes on is not to be followed: 0006.)
        if self.partitions.get((name, index), {}).get("moving") or self.rng.random() < 0.1:
            target = None
        reassign(self.side, {name: {index: target}}, allowReplicationFactorChange=self.rng.random() < 0.8)

    def list_moving(self):
        moving(self.side, None if self.rng.random() < 0.5 else {self.name(): [0, 1, 2]})

    def replace_configs(self):
        key, value = self.config(TOPIC_CONFIGS)
        resource = {"resourceType": 2, "resourceName": self.name(), "configs": [{"name": key, "value": value}]}
        self.side.rpc("replace configs", 33, 2, {"resources": [resource], "validateOnly": self.stale()})
