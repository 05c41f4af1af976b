#!/usr/bin/env bash
# A job whose executors bring no holdsfor: archives.sh MASTER PACKED.tar.gz JOB.py ARGUMENTS…
# The driver runs PYTHON, which has holdsfor installed; executors unpack the environment into their working folders.
set -euo pipefail
export PYSPARK_DRIVER_PYTHON=${PYTHON:-python3} PYSPARK_PYTHON=./environment/bin/python
exec spark-submit --master "$1" --archives "$2#environment" "${@:3}"
