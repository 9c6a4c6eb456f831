"""Outside services that answer questions in JSON: a language model, a geocoder, an embedding API, a web search. All are
off by default.

Every call goes through client.py: the egress guard, a grant of the politeness ledger, a deadline, a most of bytes.
Every call is a row of `service_calls` (calls.py), from which the budget of a day is counted. None of them decides
anything: whoever asks must go on without an answer.
"""
