"""PostgreSQL: the private server, connections, tables and migrations.

Nothing is imported here on purpose: the supervisor of the private server is part of this package, and lives
on the standard library alone.
"""
