"""What has to hold of everything that is stored: one query a file, each with the requirement it audits (C-070).

A query returns the rows that break it, as `id` and `problem`. It runs on a schedule (run/audits/), from
`winnow doctor --invariants`, and in tests.
"""
