"""Pages about companies, jobs, people, events and articles -> drafts. One module per kind, the shared parts beside."""
