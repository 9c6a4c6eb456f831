"""Exits for requests (C-037 … C-047, S-065 … S-067): which proxy a request takes, and the way through it.

endpoint.py   what an operator writes down: protocol, host, port, user, password, region
tunnel.py     a connection through it to an address the guard admitted
roster.py     the table: who is next, who is cooling down, who failed
"""
