#!/usr/bin/env bash
# A packed environment for --archives: pack.sh WHEEL PACKED.tar.gz
# PySpark is not in it: executors have that of the cluster.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/environment"
"$folder/environment/bin/pip" install --quiet "$1" venv-pack
"$folder/environment/bin/venv-pack" --quiet --prefix "$folder/environment" --output "$2"
