"""Rows for other programs: files (CSV, JSON lines, Parquet), web archives and ClickHouse (DESIGN §7, C-074)."""
