#!/usr/bin/env bash
# A job on machines that have the wheel installed: installed.sh MASTER PYTHON JOB.py ARGUMENTS…
# PYTHON is the path of the environment's Python, the same on the driver and on every machine.
set -euo pipefail
export PYSPARK_DRIVER_PYTHON=$2 PYSPARK_PYTHON=$2
exec spark-submit --master "$1" "${@:3}"
