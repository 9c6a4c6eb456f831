"""Words of languages as data, and the encodings they are written in. The lowest layer.

`data/*.json` holds one subject each, keyed by language; `load.py` reads them, one module a subject gives them a type.
`encodings/` tells which characters a file's or a page's bytes are.
"""
