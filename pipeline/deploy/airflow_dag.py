"""Runs each integration as a task of Airflow 3. Copy this file to the folder `dags`.

The worker of Airflow needs Node, and the folder with event-sync.yaml and node_modules. Secrets are environment variables of the
worker.
"""

import os
import subprocess
from datetime import datetime, timedelta

from airflow.sdk import dag, task
from airflow.sdk.exceptions import AirflowException, AirflowFailException

FOLDER = os.environ.get("EVENT_SYNC_FOLDER", "/srv/event-sync")
PROGRAM = "node_modules/event-content-sync/pipeline/bin/event-sync.js"
INTEGRATIONS = ["summit", "expo"]

# A second try has the same result: incomplete (3), held (4), refused (64).
WITHOUT_RETRY = {3, 4, 64}


@dag(schedule="*/30 * * * *", start_date=datetime(2026, 1, 1), catchup=False, max_active_runs=1)
def event_sync():
    @task(retries=3, retry_delay=timedelta(minutes=5), execution_timeout=timedelta(hours=6))
    def run(integration: str) -> None:
        if not os.path.isfile(os.path.join(FOLDER, PROGRAM)):
            raise AirflowFailException(f"{FOLDER} has no {PROGRAM}: set EVENT_SYNC_FOLDER, and install there")
        code = subprocess.run(["node", PROGRAM, "run", integration], cwd=FOLDER, check=False).returncode
        if code in WITHOUT_RETRY:
            raise AirflowFailException(f"event-sync run {integration} ended with exit code {code}")
        if code != 0:
            raise AirflowException(f"event-sync run {integration} ended with exit code {code}")

    run.expand(integration=INTEGRATIONS)


event_sync()
