"""One module per kind: how its drafts are found, normalised, judged, keyed, compared and counted. The only registry.

The modules of this folder are pure and run in the parser's process too. What stores a kind is named by import path
(`Kind.writer`) and imported only where commits happen; the writers are in `kinds/writers/`.
"""
