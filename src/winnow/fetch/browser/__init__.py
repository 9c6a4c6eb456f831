"""Pages that need a browser: a pool of Chromium, each behind the egress guard's pinning proxy (R-14).

    chromium.py       which program, with which flags        process.py   one running Chromium
    devtools.py       its DevTools pipe                      orphans.py   what a killed owner left running
    pinning_proxy.py  its only way out, through the guard    profile.py   what a page sees of us
    tab.py            one isolated page                      pages.py     waiting, scrolling, pausing
    instance.py       a browser and the tabs it lends        pool.py      browsers, one task each at a time
    navigation.py     one URL in one tab                     answer.py    what a server's answer means
    fetcher.py        FetchRequest -> FetchResult            failure.py   Chromium's errors in our words

Chromium is driven over its own pipe instead of through Playwright: see docs/decisions/browser-over-cdp.md.
"""
