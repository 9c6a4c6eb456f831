"""What is watched: sources, targets, domains and proxies."""
