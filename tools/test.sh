#!/usr/bin/env bash
# Installs, builds and runs every test; the last line is "N passed, N failed, N skipped".
# Arguments go to tests/run.py: --long for the long forms, --only STAGE to run one.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/install_dependencies.sh test
exec /usr/bin/python3 tests/run.py "$@"
