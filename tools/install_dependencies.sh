#!/usr/bin/env bash
# Installs Debian 12's packages: `build` for building and running, `test` for the test command too.
# What is there already is left alone; nothing is asked of the network then.
set -euo pipefail

build=(g++ cmake ninja-build pkg-config git ca-certificates
       liburing-dev libmimalloc-dev libsimdjson-dev libcli11-dev libspdlog-dev libfmt-dev libssl-dev)
test=(clang-19 libclang-rt-19-dev libgtest-dev libbenchmark-dev python3 python3-pytest
      openjdk-17-jdk-headless maven kcat procps)

packages=("${build[@]}")
[ "${1:-build}" = test ] && packages+=("${test[@]}")

have() { [ "$(dpkg-query -W -f '${Status}' "$1" 2>/dev/null)" = "install ok installed" ]; }
missing=()
for package in "${packages[@]}"; do have "$package" || missing+=("$package"); done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "expected root or sudo to install: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
echo "installing: ${missing[*]}"
"${as_root[@]}" apt-get update -q
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}"
