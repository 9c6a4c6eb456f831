"""Commands about the audits of what is stored."""
