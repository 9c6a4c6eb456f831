"""The words dates are written with beside the names of months and weekdays (`names.py`).

Days such as "yesterday", counts such as "3 days ago" and their units are data of `winnow.vocabulary.dates`.

All folded: lower case, no accents (`text.fold`).
"""

from __future__ import annotations

import re

from winnow.normalise.text import fold
from winnow.vocabulary.dates import added_dates, cldr_dates

_TO_TEXT = """
    - to until till through thru bis tot t/m tm au al ate hasta jusqu'au fino upto en-met til asti saakka
    untill u/i tem до по έως εως
"""
TO = frozenset(_TO_TEXT.split())
# Say nothing about which day it is.
_FILLERS_TEXT = """
    of the on at de del du le la el il lo les den der dem das die am vom von van em no na da dos das from start starts
    starting begin begins beginn beginnt begint date datum data fecha when wann wanneer quand quando cuando om um ab
    alle ore orario time zeit uhrzeit tijd heure hora posted published updated modified veroffentlicht online
    erschienen seit geplaatst gepubliceerd gewijzigd bijgewerkt publie mis a jour publicado actualizado pubblicato
    aggiornato atualizado last l' d' the: kl klokke c/o new on: deadline closing closes ends end ended ende eind einde
    fin fim valid through gultig until: by bis: doors open einlass zaal aanvang datum: uur uhr h hrs stand is was le:
    el: dal dall' das dia dag tag jour giorno giornata tagsuber @ vanaf from: since las los alle: dalle partir desde
    op den rond ca ca. circa around about approximately approx approx. gegen vers stipt sharp exactly precies punkt
    pile tegen show starttijd aanvangstijd uhrzeit: a.s. jl. s u. m. te bij als o'clock heures heure minuten
    zum zur este esta this deze diesen dieser dieses ce cet cette questo questa esse
"""
FILLERS = frozenset(_FILLERS_TEXT.split())
AND = frozenset(["and", "und", "en", "et", "y", "e", "&", "+"])
RECURRING = re.compile(
    r"\b(?:every|each|jeden?|jede|jeweils|elke|iedere|chaque|tous les|toutes les|cada|todos los|todas las|ogni|tutti i|todo[sa]?s? os"
    r"|weekly|monthly|daily|wochentlich|wekelijks|hebdomadaire|semanal|montags|dienstags|mittwochs|donnerstags|freitags|samstags"
    r"|sonntags|kazd[ayeou]\w*|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|taglich|dagelijks)\b"
)

_ADDED = added_dates().values()
# Whole days from today.
DAYS_AWAY = {fold(word): away for added in _ADDED for away, words in added.days.items() for word in words}
UNIT_OF = {fold(word): unit for added in _ADDED for unit, words in added.units.items() for word in words}
NUMBERS = {fold(word): number for added in _ADDED for number, words in added.numbers.items() for word in words}
_UNIT = "|".join(sorted(UNIT_OF, key=len, reverse=True))
_N = r"(\d{1,4}|" + "|".join(sorted(NUMBERS, key=len, reverse=True)) + r")"


def _phrase(template: str) -> re.Pattern[str]:
    """Finds a count and its unit in a phrase such as "{n} {unit} ago"."""
    pattern = re.escape(fold(template)).replace(r"\{n\}", _N).replace(r"\{unit\}", rf"({_UNIT})\.?")
    return re.compile(rf"(?<![\w.,]){pattern}".replace(r"\ (", " ?(").replace(r"\ ", " "))


AGO = [_phrase(template) for added in _ADDED for template in added.ago]
AHEAD = [_phrase(template) for added in _ADDED for template in added.ahead]


def _count_phrases() -> dict[str, tuple[str, int]]:
    """Phrases of CLDR with {0} for the number -> unit and direction; those with two meanings are left out."""
    found: dict[str, set[tuple[str, int]]] = {}
    for known in cldr_dates().values():
        for phrases, sign in ((known.ago, -1), (known.ahead, 1)):
            for unit, templates in phrases.items():
                for template in templates:
                    found.setdefault(fold(template).rstrip("."), set()).add((unit, sign))
    return {phrase: meanings.pop() for phrase, meanings in found.items() if len(meanings) == 1}


COUNT_PHRASES = _count_phrases()
AT_LEAST = re.compile(r"\d\s?\+|more than|over \d+ \w+ ago|mehr als|meer dan|plus de|mas de|piu di|mais de|\buber \d")
POSTED = re.compile(
    r"^(?:posted|published|updated|veroffentlicht|erschienen|online seit|geplaatst|gepubliceerd|publie|publiee|mis a jour|publicado"
    r"|publicada|pubblicato|pubblicata|atualizado|date posted|posted on|reposted|publiziert)\s*:?\s+(?:on\s+|am\s+|op\s+)?"
)
NEXT = re.compile(
    r"\b(?:next|nachste[nrs]?|kommende[nrs]?|volgende|komende|aanstaande|prochaine?|proximo|prossim[oa]|que viene)\b"
)
LAST = re.compile(
    r"\b(?:last|letzte[nrs]?|vergangene[nrs]?|vorige[nrs]?|afgelopen|dernier|derniere|pasado|ultimo|scors[oa]|passad[oa])\b"
)
# Those of NEXT and LAST that mean the nearest one, whatever week it is in.
COMING = re.compile(r"\b(?:kommende[nrs]?|komende|aanstaande|afgelopen|vergangene[nrs]?|que viene)\b")
# A day that is counted from another one.
BESIDE_ANOTHER = re.compile(
    r"\b(?:(?:day|week|month|year)s? (?:before|after|from|since)|(?:tage?n?|wochen?|monate?n?) (?:vor|nach) dem|lendemain d[eu]|veille d"
    r"|closest|nearest|last day of|first day of|dag (?:voor|na)|(?:jours?|semaines?|mois) (?:avant|apres))\b(?! now| today)"
)
