"""The words pages of events use, in the languages of Europe and a few beyond."""

from __future__ import annotations

import re


def _labels(text: str) -> frozenset[str]:
    return frozenset(label.strip() for label in text.replace("\n", ",").split(",") if label.strip())


DATE_LABELS = _labels("""
    date, dates, datum, when, wann, wanneer, quand, fecha, fechas, cuándo, data, quando, date and time, datum und uhrzeit
    datum & tijd, date & time, date/time, termin, termine, day, dag, wochentag, data e ora, data i godzina, kdy, datum a čas
    dato, når, när, tid, milloin, päivämäärä, aika, kiedy, termín, időpont, dátum, mikor, tarih, când, дата, когда, коли
    ημερομηνία, πότε, 日時, 開催日, 開催日時, 日程, 日付, 公演日, 时间, 日期, 일시, 일정, 날짜, thời gian, beginn, start, starts, begin
""")
START_LABELS = _labels("""
    time, times, start time, starts, start, starts at, begins, beginn, beginnt, uhrzeit, zeit, anfang, show, showtime, begin
    aanvang, aanvangstijd, tijd, starttijd, heure, horaire, horaires, début, hora, horario, inicio, comienzo, ora, orario, inizio
    horário, início, godzina, godz, godz., początek, čas, začátek, začiatok, kl, kl., tid, tidspunkt, starttid, klo, kello
    kellonaika, alkaa, időpont, kezdés, saat, ora de începere, время, начало, час, початок, ώρα, έναρξη, 開演, 開始, 時間, 시간
""")
PLACE_LABELS = _labels("""
    location, venue, where, place, ort, wo, waar, locatie, lieu, où, lugar, dónde, luogo, dove, local, onde, veranstaltungsort
    plaats, adresse, sala, salle, zaal, sede, miejsce, gdzie, místo, kde, miesto, sted, hvor, plats, var, lokal, paikka, missä
    helyszín, hol, yer, mekan, unde, locația, место, где, місце, де, τοποθεσία, πού, χώρος, 会場, 場所, 地点, 장소, địa điểm
""")
TICKETS_LABELS = _labels("""
    cost, price, prices, tickets, ticket, admission, entry, entry fee, fee, eintritt, preis, preise, kosten, toegang, entree
    prijs, tarif, tarifs, prix, entrée, billetterie, precio, entradas, entrada, prezzo, biglietti, ingresso, preço, bilhetes
    bilety, cena, wstęp, cena biletu, vstupné, vstup, pris, billet, biljetter, inträde, liput, hinta, belépő, jegyár, bilet
    giriş, preț, bilete, цена, билеты, стоимость, вхід, ціна, τιμή, είσοδος, 料金, チケット, 入場料, 票价, 티켓, 가격
""")
# Doors open before it begins.
DOORS = re.compile(
    r"\b(?:einlass|doors?(?: open)?|zaal open|deuren(?: open)?|inlaat|ouverture des portes|apertura (?:porte|de puertas|puertas)"
    r"|puertas|abertura de portas|otwarcie drzwi|vstup od|insläpp|ovet)\b\s*(?:ab|at|um|om|from|:|à|alle|ore)*\s*"
    r"\d{1,2}(?:\s?[:.h]\s?\d\d)?\s*(?:uhr|uur|h\b|[ap]\.?m\b\.?)?|\d{1,2}[:時]\d{0,2}分?\s?開場",
    re.IGNORECASE,
)
TICKETS = re.compile(
    r"\b(?:tickets?|admission|per person|entry fee|box office|rsvp|eintritt|vorverkauf|vvk|abendkasse|karten|entree|toegang|kaarten|tarifs?|billets?"
    r"|billetterie|r[ée]servations?|entradas?|taquilla|anticipada|boleto?s|bigliett[oi]|ingresso|prevendit[ae]|bilhetes?|ingressos?|bilet[yów]*"
    r"|wst[ęe]p|vstupn[ée]|vstupenk[ya]|biljetter|intr[äa]de|billetter|liput|liput|bel[ée]p[őo]|jegy|билеты?|вхід|είσοδος|εισιτήρια)\b|チケット|料金|入場|票|티켓",
    re.IGNORECASE,
)
FREE = re.compile(
    r"\b(?:free (?:entry|admission|event|and open|of charge|to attend)|admission (?:is )?free|entry (?:is )?free|eintritt (?:ist )?frei|kostenlos(?:er eintritt)?"
    r"|freier eintritt|gratis (?:toegang|entree|entrada|inträde)|toegang (?:is )?gratis|entr[ée]e (?:libre|gratuite)|gratuit|entrada (?:libre|gratuita|gratis|franca)"
    r"|ingresso (?:libero|gratuito)|entrada gratuita|wst[ęe]p wolny|vstup (?:voln[ýy]|zdarma)|fri entr[ée]|vapaa pääsy|ingyenes)\b|^(?:free|gratis|gratuit|kostenlos|frei|免费|無料|무료)[.!]?$",
    re.IGNORECASE,
)
# A day in such a line is not the day of the event.
NOT_THE_DAY = re.compile(
    r"\b(?:published|posted|updated|modified|created|on sale|sales? (?:start|end|open|close)|pre-?sale|presale|early bird|deadline|register by|rsvp by|apply by"
    r"|sign up by|registration (?:closes|opens|ends)|until|veröffentlicht|aktualisiert|erstellt|anmeldeschluss|anmeldung bis|vorverkaufsstart|vvk-?start"
    r"|gepubliceerd|geplaatst|bijgewerkt|inschrijven tot|publi[ée]e? le|mis [àa] jour|publicado|actualizado|pubblicato|aggiornato|opublikowano"
    r"|(?<!doors )(?<!door )(?<!zaal )(?<!deuren )(?<!deur )open(?:ing)?|closed|hours|geöffnet|geschlossen|öffnungszeiten|ouvert|fermé|abierto|cerrado|aperto|chiuso|geopend|gesloten|otwarte|otevřeno"
    r"|delivery|versand|lieferung|livraison|founded|since|established|gegründet|seit|opgericht|fond[ée]e? en|born|geboren|copyright)\b|©|公開日|更新|発売",
    re.IGNORECASE,
)
# What lists of events are called: a page with such a heading is not about one.
_LISTED = (
    r"events?|agenda|calendar|schedule|programm[ae]?|programme|veranstaltungen|veranstaltungskalender|termine|kalender|evenementen|[eé]v[eé]nements"
    r"|eventos|eventi|concerts?|shows|tour(?: dates)?|what.?s on|uitagenda|spielplan|meetings|evenemang|arrangementer|tapahtumat|wydarzenia|akce|etkinlikler"
    r"|evenimente|concerti|conciertos|konzerte|konserter|koncerty|news|workshops|kurse|courses|webinars|home"
)
LIST_HEADING = re.compile(
    rf"(?:(?:upcoming|all|our|next|past|current|latest|the|aktuelle|kommende|alle|unsere|die|nächste|les|nos|prochains?|próximos|todos|los|prossimi|i nostri"
    rf"|kommende|nadchodzące|and|&|und|et|y|e|en|of|in|\d{{4}})\s+)*(?:{_LISTED})(?:\s+(?:and|&|und|et|y|e|en|calendar|kalender|(?:{_LISTED})|\d{{4}}))*",
    re.IGNORECASE,
)
# "Board Meetings", "Notices, Agendas & Minutes": several of them, whatever stands before.
LISTED_AT_END = re.compile(
    r"\b(?:minutes|agendas?|meetings|calendars?|schedules|notices|archives?|events|termine|veranstaltungen|sitzungen|kalender"
    r"|evenementen|vergaderingen|[eé]v[eé]nements|r[eé]unions|eventos|reuniones|eventi|riunioni|reuni[oõ]es)\W*$|^(?:upcoming |past )?events\b",
    re.IGNORECASE,
)
MONTH = r"(?:jan|feb|f[eé]v|mar|mär|mrt|apr|avr|abr|may|mai|mei|mag|maj|jun|jui|giu|jul|lug|aug|ao[uû]|ago|sep|set|oct|okt|out|ott|nov|dec|dez|d[eé]c|dic)[^\W\d_]*"
# A day nobody can take for anything else: with the name of its month, or in full figures.
NAMED_DAY = re.compile(
    rf"\b{MONTH}\.?\s+\d{{1,2}}(?!\d|:)|(?<!\d)\d{{1,2}}(?:st|nd|rd|th|er|\.)?\s+(?:de\s+|of\s+)?{MONTH}\b"
    r"|(?<!\d)\d{1,2}[./-]\d{1,2}[./-](?:20)?\d\d(?!\d)|(?<!\d)20\d\d-\d\d-\d\d",
    re.IGNORECASE,
)
# "March 10, 2025 / in Calendar / by Jip": when a page was written.
BYLINE = re.compile(r"\d{4}\s*[/|·•].{0,40}[/|·•]?\s*\b(?:by|door|von|par|por)\s+[^\W\d_]", re.IGNORECASE)
NEWS_URL = re.compile(
    r"/(?:news|blog|aktuelles|press|presse|actualit[eé]s?|noticias|notizie|nieuws|artikel|articles?|stories|magazine)(?:/|$)|/20\d\d/\d\d/"
)
# "/2026/09/12/" and "-12-09-2026": the day that an address names.
DAY_IN_URL = re.compile(
    r"(?<!\d)(?P<y>20[0-4]\d)[/-]?(?P<m>0[1-9]|1[0-2])[/-]?(?P<d>[0-3]\d)(?!\d)"
    r"|(?<!\d)(?P<d2>[0-3]?\d)-(?P<m2>0?[1-9]|1[0-2])-(?P<y2>20[0-4]\d)(?!\d)"
)
# Where events have their pages.
EVENT_URL = re.compile(
    r"/(?:events?|agenda|veranstaltung(?:en)?|termine?|evenement(?:en|s)?|[eé]v[eé]nements?|concerts?|programma?|program(?:me)?s?|eventos?|eventi|shows?|kalender|calendar|activiteit(?:en)?|workshops?|tickets?|webinars?|gigs?|conciertos?|concerti|konzerte?|evenemang|arrangement(?:er)?|tapahtumat?|wydarzeni[ae]|akce|esemenye?k?|etkinlik(?:ler)?|evenimente?|spielplan|saison|mostre|exhibitions?|ausstellung(?:en)?|expositions?)(?:/|-|$|\?)",
    re.IGNORECASE,
)
POSTS = frozenset(
    [
        "post",
        "posts",
        "news",
        "blog",
        "tweet",
        "hentry",
        "entry",
        "comment",
        "review",
        "article",
        "press",
        "widget",
        "nav",
        "menu",
    ]
)
PUBLISHED = frozenset(["published", "updated", "entry", "posted", "modified"])
