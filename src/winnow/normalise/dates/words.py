"""The words dates are written with: all of them in English, Dutch, German, French, Spanish, Italian and Portuguese, the
months, and today with its neighbours, in some twenty languages more.

All folded: lower case, no accents (`text.fold`).
"""

from __future__ import annotations

import re

from winnow.normalise.text import fold


def _numbered(lines: str, first: int) -> dict[str, int]:
    rows = [line.split() for line in lines.strip().splitlines()]
    return {word: number for number, words in enumerate(rows, first) for word in words}


_MONTHS_WEST = _numbered(
    """
    january jan januari januar janner janvier janv enero ene gennaio gen janeiro gener
    february feb februari februar feber fevrier fev febr febrero febbraio fevereiro fevr febrer
    march mar maart mrt marz maerz mrz mars marzo marco marts marc maret mart
    april apr avril avr abril abr aprile
    may mei mai mayo may. maggio mag maio maj maig
    june jun juni juin junio giugno giu junho juno juny
    july jul juli juillet juil julio luglio lug julho juliol
    august aug augustus aout agosto ago augusti agost agustus
    september sep sept septembre septiembre setiembre settembre set setembro setembre
    october oct oktober okt octobre octubre ottobre ott outubro out
    november nov novembre noviembre novembro
    december dec dezember dez decembre diciembre dic dicembre dezembro desember desembre
    """,
    1,
)
# Polish, Czech, Slovak, Slovene, Croatian, Serbian, Romanian, Turkish, Finnish, Estonian, Latvian, Lithuanian, Hungarian.
_MONTHS_EAST = _numbered(
    """
    styczen stycznia tammi leden ledna januara januarja sijecanj sijecnja ianuarie ocak tammikuu tammikuuta jaanuar janvaris janvari janvara sausis sausio
    luty lutego helmi unor unora februara februarja veljaca veljace februarie subat helmikuu helmikuuta veebruar februaris februari februara vasaris vasario
    marzec marca maalis brezen brezna marec ozujak ozujka marta martie maaliskuu maaliskuuta marti kovas kovo marcius
    kwiecien kwietnia huhti duben dubna aprila travanj travnja aprilie nisan huhtikuu huhtikuuta aprill aprilis aprili balandis balandzio aprilis
    maja kveten touko kvetna svibanj svibnja mayis toukokuu toukokuuta maijs maija geguze geguzes majus
    czerwiec czerwca kesa cerven cervna juna junija lipanj lipnja iunie haziran kesakuu kesakuuta juuni junijs birzelis birzelio junius
    lipiec lipca heina cervenec cervence jula julija srpanj srpnja iulie temmuz heinakuu heinakuuta juuli julijs liepa liepos julius
    sierpien sierpnia elo srpen srpna augusta avgust avgusta kolovoz kolovoza agustos elokuu elokuuta augusts rugpjutis rugpjucio augusztus
    wrzesien wrzesnia syys zari septembra septembar rujan rujna septembrie eylul syyskuu syyskuuta septembris septembri rugsejis rugsejo szeptember
    pazdziernik pazdziernika loka rijen rijna oktobra oktobar octombrie ekim lokakuu lokakuuta oktoober oktobris oktobri spalis spalio
    listopad listopada listopadu marras novembra novembar studeni studenoga studenog noiembrie kasim marraskuu marraskuuta novembris novembri lapkritis lapkricio
    grudzien grudnia joulu prosinec prosince decembra decembar prosinac prosinca decembrie aralik joulukuu joulukuuta detsember decembris decembri gruodis gruodzio
    """,
    1,
)
# Russian, Ukrainian, Belarusian, Bulgarian, Greek, Arabic, Hebrew.
_MONTHS_OTHER = _numbered(
    """
    январь января янв січ студзеня ינואר בינואר січень січня януари ιανουαριος ιανουαριου ιαν يناير
    февраль февраля фев лют лютага פברואר בפברואר февр лютии лютого февруари φεβρουαριος φεβρουαριου φεβ فبراير
    март марта мар бер берез сакавіка מרץ במרץ березень березня μαρτιος μαρτιου μαρ مارس
    апрель апреля апр кві квіт красавіка אפריל באפריל квітень квітня април απριλιος απριλιου απρ ابريل
    маи мая трав מאי במאי травень травня μαιος μαιου μαι مايو
    июнь июня июн чер черв чэрвеня יוני ביוני червень червня юни ιουνιος ιουνιου ιουν يونيو
    июль июля июл лип ліпеня יולי ביולי липень липня юли ιουλιος ιουλιου ιουλ يوليو
    август августа авг сер серп жніуня אוגוסט באוגוסט серпень серпня αυγουστος αυγουστου αυγ اغسطس
    сентябрь сентября сен вер верес верасня ספטמבר בספטמבר сент вересень вересня септември σεπτεμβριος σεπτεμβριου σεπ سبتمبر
    октябрь октября окт жов жовт кастрычніка אוקטובר באוקטובר жовтень жовтня октомври οκτωβριος οκτωβριου οκτ اكتوبر
    ноябрь ноября ноя листоп лістапада נובמבר בנובמבר листопада ноември νοεμβριος νοεμβριου νοε نوفمبر
    декабрь декабря дек груд снежня דצמבר בדצמבר грудень грудня декември δεκεμβριος δεκεμβριου δεκ ديسمبر
    """,
    1,
)
MONTHS = _MONTHS_OTHER | _MONTHS_EAST | _MONTHS_WEST
# The same word is another month there.
_OF_CROATIAN, _SHORT_DESEMBER = {"listopad": 10, "listopada": 10}, {"des": 12}
MONTHS_OF_LANGUAGE = {
    "hr": _OF_CROATIAN,
    "bs": _OF_CROATIAN,
    **dict.fromkeys(["nb", "nn", "no", "is", "id"], _SHORT_DESEMBER),  # elsewhere "des" is an article
}
# Monday is 0, as in datetime.
WEEKDAYS = _numbered(
    """
    monday mon maandag ma maa montag mo lundi lun lunes lunedi segunda-feira segunda
    tuesday tue tues dinsdag di din dienstag mardi martes martedi terca-feira terca ter
    wednesday wed weds woensdag wo woe mittwoch mi mercredi mer miercoles mie mercoledi quarta-feira quarta qua
    thursday thu thur thurs donderdag do don donnerstag jeudi jeu jueves jue giovedi gio quinta-feira quinta qui
    friday fri vrijdag vr vri freitag fr vendredi ven viernes vie venerdi sexta-feira sexta sex
    saturday sat zaterdag za zat samstag sonnabend sa samedi sam sabado sab sabato
    sunday sun zondag zo zon sonntag so dimanche dim domingo dom domenica
    """,
    0,
)
# "mar" is March, or Tuesday when a month stands beside it.
WEEKDAYS_BESIDE_MONTH = {"mar": 1, "mart": 1, "seg": 0, "fre": 4, "son": 6, "vrij": 4}

_TO_TEXT = """
    - to until till through thru bis tot t/m tm au al ate hasta jusqu'au fino upto en-met til asti saakka
    до по έως εως
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
    zum zur este esta this deze diesen dieser dieses ce cet cette questo questa esse
"""
FILLERS = frozenset(_FILLERS_TEXT.split())
AND = frozenset(["and", "und", "en", "et", "y", "e", "&", "+"])
# Doors open before it begins; the hour that counts is the other one.
DOORS = re.compile(
    r"(?:einlass|doors(?: open)?|zaal open|deuren(?: open)?|portes|apertura porte|puertas)\s*(?:ab|at|um|om|from|:)*\s*"
    r"\d{1,2}(?:[:.h]\d\d)?\s*(?:uhr|uur|h|am|pm)?[,;/|-]?\s*"
    r"|[(（]?\d{1,2}(?::|時)(?:\d\d分?|半)?\s?開場[)）]?"
)
RECURRING = re.compile(
    r"\b(?:every|each|jeden?|jede|jeweils|elke|iedere|chaque|tous les|toutes les|cada|todos los|todas las|ogni|tutti i|todo[sa]?s? os"
    r"|weekly|monthly|daily|wochentlich|wekelijks|hebdomadaire|semanal|montags|dienstags|mittwochs|donnerstags|freitags|samstags"
    r"|sonntags|kazd[ayeou]\w*|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|taglich|dagelijks)\b"
)

# Whole days from today.
_DAYS_AWAY = {
    "today": 0, "now": 0, "just now": 0, "just posted": 0, "heute": 0, "vandaag": 0, "aujourd'hui": 0, "hoy": 0,
    "oggi": 0, "hoje": 0, "tonight": 0, "vanavond": 0, "heute abend": 0, "ce soir": 0, "esta noche": 0, "stasera": 0,
    "yesterday": -1, "gestern": -1, "gisteren": -1, "hier": -1, "ayer": -1, "ieri": -1, "ontem": -1,
    "tomorrow": 1, "morgen": 1, "demain": 1, "manana": 1, "domani": 1, "amanha": 1,
    "day before yesterday": -2, "vorgestern": -2, "eergisteren": -2, "avant-hier": -2, "anteayer": -2, "antes de ayer": -2,
    "l'altro ieri": -2, "anteontem": -2, "day after tomorrow": 2, "ubermorgen": 2, "overmorgen": 2, "apres-demain": 2,
    "pasado manana": 2, "dopodomani": 2, "depois de amanha": 2, "gerade eben": 0, "zojuist": 0, "a l'instant": 0,
    "ahora": 0, "adesso": 0, "agora": 0, "this morning": 0, "this evening": 0, "heute morgen": 0, "vanmorgen": 0,
    # Scandinavian, Finnish, Baltic
    "idag": 0, "i dag": 0, "imorgon": 1, "i morgon": 1, "i morgen": 1, "igar": -1, "i gar": -1, "tanaan": 0,
    "huomenna": 1, "eilen": -1, "tana": 0, "homme": 1, "eile": -1, "siandien": 0, "rytoj": 1, "vakar": -1, "sodien": 0,
    # Slavic, Hungarian, Romanian, Catalan, Greek, Turkish
    "dzis": 0, "dzisiaj": 0, "jutro": 1, "wczoraj": -1, "pojutrze": 2, "dnes": 0, "zitra": 1, "zajtra": 1, "vcera": -1,
    "danas": 0, "sutra": 1, "jucer": -1, "juce": -1, "danes": 0, "jutri": 1, "vceraj": -1, "сегодня": 0, "завтра": 1,
    "вчера": -1, "послезавтра": 2, "сьогодні": 0, "вчора": -1, "днес": 0, "утре": 1, "holnap": 1, "tegnap": -1,
    "azi": 0, "astazi": 0, "maine": 1, "avui": 0, "dema": 1, "ahir": -1, "σημερα": 0, "αυριο": 1, "χθες": -1,
    "bugun": 0, "yarin": 1, "dun": -1,
    # East Asian, Indonesian, Vietnamese, Arabic, Hebrew
    "今日": 0, "本日": 0, "明日": 1, "明後日": 2, "昨日": -1, "一昨日": -2, "今天": 0, "明天": 1, "昨天": -1, "后天": 2,
    "後天": 2, "前天": -2, "오늘": 0, "내일": 1, "어제": -1, "모레": 2, "hari ini": 0, "besok": 1, "kemarin": -1,
    "hom nay": 0, "ngay mai": 1, "hom qua": -1, "اليوم": 0, "غدا": 1, "امس": -1, "היום": 0, "מחר": 1, "אתמול": -1,
}  # fmt: skip
DAYS_AWAY = {fold(word): days for word, days in _DAYS_AWAY.items()}
UNITS = {
    "minute": "minute minutes min mins minuut minuten minuto minutos minuti minuut.",
    "hour": "hour hours hr hrs h stunde stunden std uur uren heure heures hora horas ora ore",
    "day": "day days d tag tage tagen dag dagen jour jours j dia dias giorno giorni",
    "week": "week weeks w wk woche wochen weken semaine semaines semana semanas settimana settimane",
    "month": "month months mo monat monate monaten maand maanden mois mes meses mese mesi",
    "year": "year years yr yrs jahr jahre jahren jaar an ans ano anos anno anni",
}
UNIT_OF = {word: unit for unit, words in UNITS.items() for word in words.split()}
NUMBERS = {
    "a": 1, "an": 1, "one": 1, "ein": 1, "eine": 1, "einem": 1, "einer": 1, "een": 1, "un": 1, "une": 1, "una": 1, "um": 1,
    "uma": 1, "uno": 1, "two": 2, "zwei": 2, "twee": 2, "deux": 2, "dos": 2, "due": 2, "dois": 2, "duas": 2, "three": 3,
    "drei": 3, "drie": 3, "trois": 3, "tres": 3, "tre": 3, "four": 4, "vier": 4, "quatre": 4, "cuatro": 4, "quattro": 4,
    "quatro": 4, "five": 5, "funf": 5, "vijf": 5, "cinq": 5, "cinco": 5, "cinque": 5, "six": 6, "sechs": 6, "zes": 6,
    "seven": 7, "ten": 10, "zehn": 10, "tien": 10, "dix": 10, "diez": 10, "dieci": 10, "dez": 10,
}  # fmt: skip
_UNIT = "|".join(sorted(UNIT_OF, key=len, reverse=True))
_N = r"(\d{1,4}|" + "|".join(sorted(NUMBERS, key=len, reverse=True)) + r")"
# Count, unit; what stands around them says whether it lies behind or ahead.
AGO = [
    re.compile(rf"(?<![\w.,]){_N} ?({_UNIT})\.? (?:ago|geleden|fa|atras|her|zuvor|earlier)"),
    re.compile(rf"(?:vor|il y a|hace|ha|fa|depuis) {_N} ?({_UNIT})\.?"),
]
AHEAD = [
    re.compile(rf"(?:in|over|binnen|dans|en|dentro de|tra|fra|em|daqui a) {_N} ?({_UNIT})\.?"),
    re.compile(rf"{_N} ({_UNIT}) (?:from now|from today|hence)"),
]
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
