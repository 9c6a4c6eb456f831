"""What needs a decision: quarantine, adapters and replays."""
