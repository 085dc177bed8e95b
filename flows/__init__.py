"""The story of an edition: settings, Prefect flows and the ``lookbench`` command."""

import os

# Before Prefect is imported anywhere: no telemetry, and time enough for its server to start on a small machine.
os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
os.environ.setdefault("DO_NOT_TRACK", "1")
os.environ.setdefault("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "180")
