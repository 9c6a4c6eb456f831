"""Events as other programs read them: iCalendar, RSS and schema.org."""
