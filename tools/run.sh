#!/usr/bin/env bash
# From a fresh clone to a running controller on 127.0.0.1:9093: installs, builds, formats on first use, runs.
# Settings: HAYWARD_DATA (where its data goes, default ./hayward-data), HAYWARD_PORT (default 9093); more
# arguments go to `hayward run` (e.g. --override broker.session.timeout.ms=6000).
set -euo pipefail
cd "$(dirname "$0")/.."

tools/install_dependencies.sh build
[ -f build/build.ninja ] || cmake --preset release -DHAYWARD_TESTS=OFF
cmake --build build --target hayward

data=${HAYWARD_DATA:-$PWD/hayward-data}
port=${HAYWARD_PORT:-9093}
config=$data/server.properties
if [ ! -f "$config" ]; then
  mkdir -p "$data"
  cat > "$config" <<PROPERTIES
process.roles=controller
node.id=3000
listeners=CONTROLLER://127.0.0.1:$port
controller.listener.names=CONTROLLER
controller.quorum.bootstrap.servers=127.0.0.1:$port
log.dirs=$data/log
PROPERTIES
fi
if [ ! -f "$data/log/meta.properties" ]; then
  build/hayward format -t "$(build/hayward random-uuid)" -c "$config" --standalone
fi
cluster_id=$(sed -n 's/^cluster.id=//p' "$data/log/meta.properties")
cat <<HINT
cluster id: $cluster_id
A Kafka 4.x broker joins with controller.quorum.bootstrap.servers=127.0.0.1:$port,
controller.listener.names=CONTROLLER, after: kafka-storage.sh format -t $cluster_id -c BROKER.properties
HINT
exec build/hayward run -c "$config" "$@"
