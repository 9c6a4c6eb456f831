"""Availability from what a page says (P-009). No signal, or two that contradict, stays UNKNOWN."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from winnow.normalise.record import Availability

MAX_TEXT = 300  # a stock line is short; a paragraph that mentions stock is not a signal

# schema.org ItemAvailability. PreOrder, PreSale and MadeToOrder can be ordered and come later: BACKORDER.
_SCHEMA_ORG = {
    "instock": Availability.IN_STOCK,
    "limitedavailability": Availability.IN_STOCK,
    "onlineonly": Availability.IN_STOCK,
    "instoreonly": Availability.IN_STOCK,
    "outofstock": Availability.OUT_OF_STOCK,
    "soldout": Availability.OUT_OF_STOCK,
    "discontinued": Availability.OUT_OF_STOCK,
    "reserved": Availability.OUT_OF_STOCK,
    "backorder": Availability.BACKORDER,
    "preorder": Availability.BACKORDER,
    "presale": Availability.BACKORDER,
    "madetoorder": Availability.BACKORDER,
}

# Read in this order: "not in stock" contains "in stock", "back in stock soon" announces the opposite.
_OUT = """
out of stock|sold out|not in stock|no longer in stock|no stock|zero stock|0 in stock|0 available|0 left|
(?:in stock|available|stock|quantity|qty|voorraad|bestand|lager)(?: \\w+)?: ?0(?![.,]?\\d)|
not available|unavailable|no longer available|currently unavailable|temporarily unavailable|discontinued|
notify me|back in stock|in stock soon|email when available|email me when|coming soon|wait ?list|not for sale|
stock expected|expected in stock|restocking|out-of-stock|oos|available soon|soon available|
demnächst verfügbar|bald verfügbar|demnächst lieferbar|bald wieder verfügbar|bientôt disponible|
prochainement disponible|disponibile a breve|prossimamente disponibile|
próximamente disponible|disponible próximamente|disponível em breve|
nicht auf lager|nicht lieferbar|nicht verfügbar|nicht mehr verfügbar|nicht mehr lieferbar|nicht vorrätig|
nicht am lager|ausverkauft|vergriffen|zurzeit nicht|derzeit nicht|momentan nicht|kein bestand|leider nicht|
benachrichtigen sie mich|wieder verfügbar ab|
niet op voorraad|niet leverbaar|niet beschikbaar|uitverkocht|niet meer leverbaar|niet meer op voorraad|
tijdelijk niet|momenteel niet|geen voorraad|houd mij op de hoogte|
rupture|en rupture de stock|rupture de stock|épuisé|epuise|indisponible|non disponible|pas disponible|
pas en stock|plus en stock|plus disponible|actuellement indisponible|stock épuisé|victime de son succès|
agotado|agotada|sin existencias|sin stock|no disponible|fuera de stock|no hay existencias|no hay stock|descatalogado|
esaurito|non disponibile|slutsåld|udsolgt|utsolgt|ikke på lager|inte i lager|esgotado|indisponível|
niedostępny|niedostępna|niedostępne|brak w magazynie|chwilowo niedostępn\\w*|wyprzedane|
vyprodáno|není skladem|nedostupné|vypredané|nie je skladom|elfogyott|nincs készleten|nincs raktáron|
stoc epuizat|indisponibil|nu este în stoc|изчерпан|изчерпано|няма наличност|нет в наличии|нет на складе|
немає в наявності|закінчився|stokta yok|tükendi|stokta bulunmuyor|loppuunmyyty|loppu varastosta|ei varastossa|
tilapäisesti loppu|slut i lager|tillfälligt slut|ej i lager|ej i lager online|midlertidig utsolgt|
nicht an lager|nicht ab lager|aktuell nicht verfügbar|momentan vergriffen|
εξαντλημένο|εξαντλήθηκε|μη διαθέσιμο|non in stock|non disponibile|temporaneamente esaurito|
indisponível|sem stock|sem estoque|produto esgotado|produto indisponível|
在庫切れ|在庫なし|売り切れ|売切れ|品切れ|完売|
품절|일시품절|재고 없음|缺货|缺貨|无货|無貨|售罄|售完|已售完|补货中|補貨中|
غير متوفر|غير متوفرة|نفد|نفذت الكمية|stok habis|habis terjual|hết hàng|tạm hết hàng|สินค้าหมด|אזל מהמלאי|לא במלאי|ناموجود
"""
_LATER = """
back ?-?order|backorder|backordered|available on backorder|pre-?order|pre-?sale|made to order|special order|
ships when available|available for pre-?order|on order|
vorbestellung|vorbestellen|vorbestellbar|vorbestellbar ab|nachbestellt|auf bestellung|im zulauf|
rückstand|lieferrückstand|bestellartikel|
op bestelling|nabestelling|nabestellen|in bestelling|pre-?order|reserveren|binnenkort leverbaar|
précommande|precommande|pré-commande|sur commande|en réapprovisionnement|réassort|
bajo pedido|preventa|pre-?venta|reserva|reservar|por encargo|bajo demanda|
förbeställ|forudbestil|forhåndsbestill|su ordinazione|preordina|preordine|pré-commander|予約受付中|予約する|予約
"""
_IN = """
in stock|in-stock|instock|available now|available|available to ship|ready to ship|ships today|ships now|
ships in 24 ?h(?:ours)?|ships within|usually ships|low stock|limited stock|few left|only \\d+ left|\\d+ left|
stock(?: level)?: ?[1-9]\\d*|\\d+ in stock|\\d+ available|more than \\d+ available|hurry|last one|
auf lager|am lager|ab lager|sofort lieferbar|sofort verfügbar|lieferbar|verfügbar|vorrätig|lagernd|
nur noch \\d+|noch \\d+ stück|versandfertig|an lager|versandbereit|
op voorraad|uit voorraad|leverbaar|direct leverbaar|beschikbaar|voorradig|vandaag verzonden|morgen in huis|
nog maar \\d+|nog \\d+ op voorraad|solo \\d+|not sold|
en stock|disponible|disponibles|expédié sous|expédition sous 24|plus que \\d+|en magasin|
add to cart \\(enabled\\)|
ships in \\d|ships from|dispatched within|usually dispatched|dispatches in|verzonden binnen|
voor \\d\\d[:.]\\d\\d (?:uur )?besteld|vandaag besteld|expédié (?:sous|en)|spedito in|spedizione in 24|wysyłka w ciągu|
disponible ahora|disponibilidad inmediata|hay existencias|quedan \\d+|últimas unidades|entrega inmediata|
disponibile|disponibilità immediata|in magazzino|i lager|på lager|em estoque|em stock|disponível|
dostępny|dostępna|dostępne|
na stanie|w magazynie|na magazynie|wysyłka w 24|skladem|na sklade|na skladě|skladom|k odeslání ihned|raktáron|készleten|
în stoc|in stoc|в наличност|наличен|налично|в наличии|есть в наличии|на складе|
є в наявності|в наявності|готовий до відправки|
stokta var|stokta|stokta mevcut|varastossa|heti varastosta|heti saatavilla|
διαθέσιμο|άμεσα διαθέσιμο|σε απόθεμα|ετοιμοπαράδοτο|
在庫あり|在庫有り|在庫有|即納|残りわずか|재고 있음|재고있음|有货|现货|有現貨|有庫存|尚有庫存|有库存|
متوفر|متوفرة|متاح|stok tersedia|tersedia|ready stock|còn hàng|มีสินค้า|พร้อมส่ง|במלאי|موجود
"""


def _pattern(phrases: str) -> re.Pattern[str]:
    alternatives = "|".join(p.strip() for p in phrases.replace("\n", "").split("|") if p.strip())
    wide = "|".join(p.strip() for p in phrases.replace("\n", "").split("|") if p.strip() and p.strip()[0] >= "\u0e00")
    # Scripts that do not separate words have no word borders to ask for.
    return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)" + (f"|{wide}" if wide else ""))


_OUT_OF_STOCK, _ORDERED_LATER, _AVAILABLE = _pattern(_OUT), _pattern(_LATER), _pattern(_IN)
# Words that promise stock by themselves; beside "sold out" they make a text contradict itself. ("Available"
# does not: "sold out, tell me when available".)
_PROMISE = _pattern("in stock|auf lager|an lager|sofort lieferbar|op voorraad|en stock|skladem|på lager|i lager")
_NOT_A_SIGNAL = re.compile(r"(?<!\w)(?:availability|check|select|choose|shipping)(?!\w)[^.]*\?|if available")


@lru_cache(1_024)
def read_availability(text: str | None) -> Availability:
    """A schema.org value, a feed's word, or a phrase in English, Dutch, German, French or Spanish."""
    if not text:
        return Availability.UNKNOWN
    word = re.sub(r"[\s_-]", "", re.split(r"[/#:]", text.strip("/ \n\t"))[-1].lower())
    return _SCHEMA_ORG.get(word) or read_stock_phrase(text)


def read_stock_phrase(text: str) -> Availability:
    plain = re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip().lower().replace("’", "'")
    if len(plain) > MAX_TEXT or _NOT_A_SIGNAL.search(plain):
        return Availability.UNKNOWN
    rest, denials = _OUT_OF_STOCK.subn(" ", plain)
    if _ORDERED_LATER.search(rest):
        return Availability.BACKORDER
    if denials:
        return Availability.UNKNOWN if _PROMISE.search(rest) else Availability.OUT_OF_STOCK
    return Availability.IN_STOCK if _AVAILABLE.search(rest) else Availability.UNKNOWN
