"""What Winnow promises about speed, measured side by side with the peers (DESIGN §10)."""
