"""The daemon of Python workers on another machine, so to speak: see `cluster_process`."""

from pyspark import daemon

from tests.spark.cluster_process import elsewhere

if __name__ == "__main__":
    elsewhere()
    daemon.manager()
