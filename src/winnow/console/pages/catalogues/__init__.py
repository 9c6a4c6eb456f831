"""Product feeds: their settings, tests and runs."""
