"""The console: what a person sees. docs/how-to/add-a-console-page.md says how to add a page.

app.py       puts it together and stands it beside the API
gate.py      every request: session, origin, headers
events.py    every event on an open page: session and role, anew
act.py       every change: role, audit trail, what is said afterwards
registry.py  `@page`, and the modules of pages/
layout.py    navigation, title, theme
widgets/     what pages are made of
"""
