"""Events, their venues, and pairs of events that may be one."""
