"""Runs each integration as an op of a Dagster job: `dagster dev -f dagster_job.py`.

Dagster needs Node, and the folder with event-sync.yaml and node_modules. Secrets are environment variables of Dagster.
"""

import os
import subprocess

from dagster import Definitions, Failure, OpExecutionContext, RetryPolicy, ScheduleDefinition, job, op

FOLDER = os.environ.get("EVENT_SYNC_FOLDER", "/srv/event-sync")
PROGRAM = "node_modules/event-content-sync/pipeline/bin/event-sync.js"
INTEGRATIONS = ["summit", "expo"]

# A second try has the same result: incomplete (3), held (4), refused (64).
WITHOUT_RETRY = {3, 4, 64}


def op_of(integration: str):
    @op(name=f"run_{integration.replace('-', '_')}", retry_policy=RetryPolicy(max_retries=3, delay=300))
    def run(context: OpExecutionContext) -> None:
        if not os.path.isfile(os.path.join(FOLDER, PROGRAM)):
            raise Failure(f"{FOLDER} has no {PROGRAM}: set EVENT_SYNC_FOLDER, and install there", allow_retries=False)
        code = subprocess.run(["node", PROGRAM, "run", integration], cwd=FOLDER, check=False).returncode
        context.log.info(f"event-sync run {integration} ended with exit code {code}")
        if code != 0:
            raise Failure(
                f"event-sync run {integration} ended with exit code {code}",
                allow_retries=code not in WITHOUT_RETRY,
            )

    return run


@job
def event_sync():
    for integration in INTEGRATIONS:
        op_of(integration)()


defs = Definitions(
    jobs=[event_sync],
    schedules=[ScheduleDefinition(job=event_sync, cron_schedule="*/30 * * * *")],
)
