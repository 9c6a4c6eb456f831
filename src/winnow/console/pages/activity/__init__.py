"""What happens now: overview, alerts, runs and their tasks."""
