"""Agendas whose body is no HTML: ICS, RSS and Atom, JSON Feed and the JSON of calendars.

`read_feed.read_feed` is the way in. The libraries that read them are imported when the first such body comes, so that
a parser process that sees only HTML neither waits for them nor holds them in memory.
"""
