"""May this request be sent, now? The one room that answers it, for every page, picture, redirect and robots.txt.

The door is `Gatekeeper.admit(visit)`: an `Ending` says why not, an `Admission` how the request goes out. Behind it
each is asked once, in this order, and none of them allows by default:

    1  robots.py        may this URL be fetched?    the rules of fetch/robots/ on what the table `robots` holds; unknown
                                                    or too old: the visit's grant is spent on fetching it
    2  proxy_choice.py  which way out?              fetch/proxies/ in turn, or directly; a way out, not another budget
    3  grants.py        may it be sent now?         asked last, by the fetcher, when the connection stands: the
                                                    claim's grant (schedule/ledger/), or one it is exchanged for

A redirect (`Admission.on_hop`) asks 1 for every other URL and 3 for every other domain. What the site said about our
pace (429, Retry-After) and what became of the proxy goes back through `Gatekeeper.answered`; limits that a new
robots.txt changes go to the lane through schedule/ledger/limits.py. The address itself is checked by fetch/egress/,
whoever admitted the request.

`single_url.py` is the same for one URL that a caller waits for: it has no task to put back, so it waits for its slot.
"""
