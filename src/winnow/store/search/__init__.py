"""The search index: documents in PostgreSQL (documents.py), what has to be brought up to date in them (changes.py), and
the indexes of a search server that follow them (server/). How it is searched is in `queries/search/`."""
