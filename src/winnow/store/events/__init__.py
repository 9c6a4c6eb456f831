"""Events: one row per source, source key and occurrence; their venues, their changes, and which of them are one."""
