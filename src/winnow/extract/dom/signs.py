"""Numbers and currency signs in the text of a page, as far as they show that an amount of money stands there.

What they mean is read in `normalise/`; here they only have to be found.
"""

from __future__ import annotations

import re

_CODES = (
    "USD|EUR|GBP|CAD|AUD|NZD|CHF|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|RSD|HRK|JPY|CNY|RMB|KRW|TWD|INR|PKR|BDT|LKR|BRL|MXN|"
    "ARS|CLP|COP|PEN|UYU|ZAR|NGN|KES|EGP|MAD|TND|TRY|SGD|HKD|THB|MYR|IDR|PHP|VND|ILS|AED|SAR|QAR|KWD|BHD|OMR|JOD|RUB|UAH|"
    "KZT|GEL|BYN|AZN|AMD|MDL|MKD|BAM|UZS|KGS|MNT|LAK|KHR|MMK|NPR|GHS|TZS|UGX|XOF|XAF|DZD|IQD|LBP|BOB|PYG|CRC|GTQ|DOP|JMD|"
    "TTD|VES|LTL|LVL|EEK"
)
SIGN = (
    r"(?:US|CA|AU|NZ|HK|NT|SG|MX|[ACSR])\s?\$|\$|[€£¥₹₽₴₺₩₪฿₫₱₦₡₲₸₾₼₭₮៛֏؋￥＄円元원﷼]"
    rf"|(?<![^\W\d_])(?:{_CODES}|euros?|zł|zl|kč|kčs|kr|ft|lei|лв|руб(?:лей|ля|ль)?|р|б\.р|грн|тг|тенге|сум|сом|дин|kn|lari|fcfa|cfa|kshs?|tl|rm|rp|rs|sfr|fr|dhs?|din|đ|vnđ|s/|r)(?![^\W\d_])\.?"
    r"|ر\.س|د\.إ|ر\.ق|د\.ك|د\.ت|د\.ج|د\.م|ج\.م|جنيه|ريال|ریال|درهم|บาท|税込|tomans?|تومان"
)
SIGNS = re.compile(SIGN, re.IGNORECASE)
NUMBER = r"\d+(?:[.,'’ \u00a0\u202f\u2009]\d+)*"
AMOUNTS = re.compile(NUMBER)


def amount_in(text: str) -> re.Match[str] | None:
    """The number that stands beside a currency ("3 x 13,33 €" -> 13,33); where none does, the first."""
    found = list(AMOUNTS.finditer(text))
    for number in found if len(found) > 1 else ():
        if SIGNS.match(text[number.end() :].lstrip()) or _SIGN_LAST.search(text[: number.start()]):
            return number
    return found[0] if found else None


_SIGN_LAST = re.compile(rf"(?:{SIGN})\s?$", re.IGNORECASE)
