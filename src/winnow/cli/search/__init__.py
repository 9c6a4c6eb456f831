"""`winnow search` (find.py) and `winnow search-index` (index.py)."""
