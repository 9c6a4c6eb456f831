"""Jobs, dead letters, deliveries and receivers."""
