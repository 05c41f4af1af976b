#!/usr/bin/env bash
# The job of the image, on Kubernetes: kubernetes.sh https://API:6443 IMAGE EVENTS OUTPUT
# EVENTS and OUTPUT are where all pods reach them, such as s3a://…; the service account `spark` may start pods.
set -euo pipefail
exec spark-submit --master "k8s://$1" --deploy-mode cluster --name holdsfor \
    --conf spark.kubernetes.container.image="$2" \
    --conf spark.kubernetes.authenticate.driver.serviceAccountName=spark \
    local:///opt/holdsfor/job.py /opt/holdsfor/rules.prolog "$3" /opt/holdsfor/mapping.toml "$4"
