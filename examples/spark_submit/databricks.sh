#!/usr/bin/env bash
# The wheel as a library of a Databricks cluster: databricks.sh WHEEL CLUSTER_ID /Volumes/CATALOG/SCHEMA/VOLUME
set -euo pipefail
wheel=$3/$(basename "$1")
databricks fs cp --overwrite "$1" "dbfs:$wheel"
databricks libraries install --json "{\"cluster_id\": \"$2\", \"libraries\": [{\"whl\": \"$wheel\"}]}"
