"""What an amount can mean, and the words beside it that say so, one line per language or group of them."""

from __future__ import annotations

import re
from enum import StrEnum


class Meaning(StrEnum):
    """What an amount is. Only SELLING ones can be the price."""

    SELLING = "selling"
    STRUCK = "struck"
    REGULAR = "regular"  # the selling price, unless a lower one stands beside it
    NET = "net"  # without the tax a customer pays on top
    FROM = "from"
    UNIT = "unit"
    EACH = "each"  # the price of one piece, which is the selling price where no other is shown
    MEMBER = "member"  # what members or holders of a card pay
    LISTED = "listed"  # the list price by a word, where the page shows nothing else
    ASIDE = "aside"  # instalments, shipping, savings, tiers


# Tax a customer pays on top, as it is named where prices are stated with it.
_TAX = r"(?:vat|gst|btw|moms|mva|mwst|ust|tva|iva|dph|áfa|kdv|фпа|φπα|ddv|pdv|пдв|ндс|ддс|pvm|pvn|alv|ppn|tax(?:es)?)"
NET_WORDS = (
    rf"(?:ex(?:cl|c|kl|kluding|kludert|cluding|clusive)?\.?|without|plus|\+|zzgl\.?|ohne|hors|sin|bez|brez|be(?= ?pvm)|без|senza|sem|uten|utan|ilman|χωρίς|eks\.?)\s?"
    rf"(?:\d{{1,2}}(?:[.,]\d)? ?% ?)?{_TAX}(?![^\W_])|(?<![^\W_])(?:netto|nettó|h\.?t|net)(?![^\W_])|税抜|税別"
)
GROSS_WORDS = (
    rf"(?<![^\W_])(?:inc(?:l|luding|lusive(?: of)?|lusief|luso)?|ink[lk](?:usive)?|with|s|z|su|ar|с|з|mit|avec|con|com|sis\.?|με)\.?\s?"
    rf"(?:all )?(?:\d{{1,2}}(?:[.,]\d)? ?% ?)?{_TAX}(?![^\W_])|"
    rf"(?<![^\W_])(?:brutto|bruttó|ttc|iva incl\w*|impuestos incluidos|tva incluse|mwst\.? inkl\w*"
    r"|vat included|btw inbegrepen)(?![^\W_])|税込"
)
# A line beside the price that speaks of the tax on it.
NET_NOTE, GROSS_NOTE = re.compile(NET_WORDS, re.IGNORECASE), re.compile(GROSS_WORDS, re.IGNORECASE)

# What themes call a price that may be reduced, or is not: it stands above both.
ORDINARY = re.compile(
    r"(?:regular|normal|usual|standard) price|prix (?:habituel|normal|régulier)|normal(?:er )?preis|"
    r"precio (?:habitual|normal|regular)|prezzo (?:di listino|normale|regolare)|preço normal|normale prijs|"
    r"normal ?pris|vanligt? pris|ordinarie pris|cena regularna|bě[žz]ná cena|normaalihinta|通常価格|정가|常规价格|原價",
    re.IGNORECASE,
)
# What stands between the two ends of a range, and nothing else.
RANGE_MARK = re.compile(r"-|–|—|−|~|〜|to|through|thru|bis|tot|à|a|al|hasta|til|till|do|до|から", re.IGNORECASE)
_MEASURES = r"(?:kg|g|l|ml|cl|m|m²|m2|lb|oz|st(?:ück|k)?|pcs?|stuk|szt|ks|dosis|wl)"
BEFORE = {
    Meaning.UNIT: rf"\d+(?:[.,]\d+)?\s?{_MEASURES}\.?\s?=",
    Meaning.FROM: r"(?<!used )(?<!emi )(?<!sellers )(?<!owned )(?<!box )(?<!refurbished )from|starting (?:at|from)|as low as|ab|vanaf|à partir de|a partir de|dès|desde|da|od|fra|från|от|"
    r"від|"
    r"alkaen|από|mulai|từ|"
    # the other end of a range: an amount, and a dash before this one ("reduced from $9 to $7" is none)
    r"[€£$¥₹]\s?\d[\d.,]*(?<![.,])\s?(?:-|–|—|~|through)|"  # not "599,-", which has no cents
    r"\d[\d.,]*\s?(?:[€£$¥₹]|kr|zł|kč|ft|chf|eur|usd)\.?\s?(?:-|–|—|~|through)",
    Meaning.STRUCK: r"was|were|rrp|msrp|mrp|srp|uvp|list(?: price)?|retail(?: price)?|regular price|usual price|"
    r"original(?: price)?(?: was)?|originally|ursprünglich|ursprungligen|oorspronkelijk|initialement|originariamente|"
    r"alun perin|oprindeligt?|opprinnelig|pierwotnie|původně|eredetileg|old price|valued? at|value|worth|"
    r"reg\.?|compare(?: at)?|statt|vorher|bisher|van|adviesprijs|au lieu de|prix conseillé|antes|"
    r"precio anterior|before|ord\.? ?pris|før|før-?pris|vejl\.? ?pris|norm\.|ovh|"
    r"tidigare|cena regularna|najniższa cena[^:]{0,60}|lowest price[^:]{0,60}|tiefster preis[^:]{0,60}|"
    r"prezzo (?:consigliato|di listino)|listino|invece di|anzich[eé]|běžná cena|bežná cena|původn[ěí](?: cena)?|"
    r"eredeti ár|prp|стар(?:ая|а) (?:цена|ціна)|αρχική τιμή|π\.?λ\.?τ\.?|eski fiyat|piyasa fiyatı|"
    r"通常価格|定価|参考価格|정가|原价|原價|建議售價|市场价|السعر السابق|harga normal|giá gốc|(?<=\bde)(?=[:\s]*r\$)",
    Meaning.ASIDE: r"\([-–−+]|save|you save|saving|savings|sie sparen|spare|spar|du sparar|bespaar|je bespaart|économisez|"
    r"ahorra|ahorras|"
    r"risparmi|poupa|economize|oszczędzasz|ušetříte|ušetríte|säästät|kazancınız|экономия|економія|"
    r"shipping|versand(?:kosten)?|delivery|frakt|fragt|dostawa|doprava|szállítás|livrare|kargo|доставка|送料|배송비|运费|運費|"
    r"verzending|verzendkosten|livraison|spedizione|portes|frete|gastos de envío|"
    r"envío|orders over|over|above|h[óo]a đơn (?:trên|từ)|đơn (?:hàng )?(?:trên|từ)|ab einem bestellwert von|klarna|afterpay|payments of|\d+\s?[x×](?: de| of| à| a)?|or \d+|"
    r"deposit|pfand|statiegeld|trade-in[^:]{0,20}|up to|coupon[^:]{0,20}|code [\w-]{1,12}|\+|"
    r"spend|(?:buy )?(?:used|pre-?owned|open[- ]box)(?: (?:from|&|and) ?(?:new)?)?(?: from)?|elsewhere|other sellers?(?: from)?|"
    r"(?:no[- ]cost )?emi(?: (?:starts? |starting )?(?:from|at))?|(?:price|total|buy) (?:for )?(?:both|all(?: (?:two|three|four|\d))?)|"
    r"(?:bought )?together(?: for)?|get it (?:for|at)|refurbished|renewed|gebraucht|d'occasion|tweedehands|subscribe(?: (?:&|and) save)?|"
    r"autoship|im abo|join [\w ]{1,24} (?:to|and) (?:buy|get|pay)[\w ]{0,16} (?:at|for)|"
    r"sepette|적립금|포인트|ポイント|dont|davon|waarvan|"
    r"\d+ (?:meses|mensualidades|cuotas|months|monate|monatsraten|raten|rat|rate|mois|mån(?:ader)?)(?: de| of| à| x| je)?|"
    r"zzgl\.?|plus|\d[\d.,]*[^\d(]{0,6}\(|"  # "48,90 лв. (25,00 €)": the same again in another currency
    r"frais de port|spese di spedizione|(?:current|starting|winning) bid|(?:aktuelles |höchst)gebot|enchère|eco[- ]?part\w*|"
    r"(?:starting|opening|reserve) price|startpreis|mise à prix|precio de salida|approx(?:imately|\.)?|circa|≈|subtotal|cart|basket|(?:cart|basket|bag|order) (?:sub)?total|zwischensumme|warenkorbwert|sous-total|total du panier|"
    r"minimum|discount|rabatt|korting|remise",
    Meaning.MEMBER: r"club|members?|medlems?pris|mitgliederpreis|ledenprijs|"
    r"(?:rewards?|members?|club|loyalty|insiders?|card ?holders?) (?:exclusive|only|pays?|price|offer|deal)",
    Meaning.NET: rf"{NET_WORDS}|excl\.?|ht",
}
AFTER = {
    Meaning.SELLING: rf"\(?\s?(?:{GROSS_WORDS})",
    # "($22.99 value)", "399.99 MSRP"; "12,99 € UVP 15,99 €" speaks of the next amount
    Meaning.STRUCK: r"(?:value|msrp|rrp|mrp|srp|uvp|list price)(?![^\W_])(?![\s*:.]{0,3}(?:[^\d\s]{1,4}\s?)?\d)",
    Meaning.EACH: r"each\b|(?:/|per|pro|par|por|je|la|za|за|por)\s?(?:1\s)?(?:each|ea|units?|pieces?|pcs?|item|stück|stk|stuk|st|"
    r"pièce|unidad|pezzo|szt|ks|kus|шт|unité|unità|unidade|bottle|box|pack)(?![^\W_])\.?(?!\s?\))",
    Meaning.UNIT: r"(?:/|per|pro|par|por|je|al)\s?(?:\d+\s?)?(?:kg|g|l|ml|m|m²|m2|lb|oz|ft|st|stuk|stück|round|rd|rnd|"
    r"count|ct|each|unit|"
    r"litre|liter|100 ?ml|100 ?g|sheet|piece|tablet|night|person|ounce|fl\.? ?oz|fluid ounce|pound|gram|"
    r"millilit(?:er|re)|"
    r"sq\.? ?ft|square|foot|load|wash|dose|capsule)\b|"
    r"/\s?(?:\d+\s?)?[^\W\d_]{2,14}\.?\s?\)",  # "($6.24 / Pack)": beside the price, in brackets
    Meaning.ASIDE: r"(?:/|per|pro|par|a|p\.?)\s?(?:mo|month|monat|maand|mois|mes|mnd|mån|månad|md|miesiąc|week|year|"
    r"jahr)\b|monthly|monatlich|off\b|klarna|more (?:for|to)\b|away from\b|minimum\b|"
    r"(?:shipping|delivery|versand|korting|rabatt)\b(?!\s*[:.])|d'éco|"
    r"(?:used|pre-?owned|refurbished)\b(?!\s*(?:from|:|[^\w\s]{0,3}\s?\d))|elsewhere\b|at other (?:shops|stores|sellers)\b|ポイント|포인트|points?\b|"
    r"(?:pfand|deposit|statiegeld|pant|consigne)\b",
    Meaning.MEMBER: r"(?:with )?(?:\w+ ?card|clubcard|members?|club|loyalty) price|(?:for|with) members",
    # "Netto: 65,03" and "(税抜 1,800円)" speak of the next amount
    Meaning.NET: rf"(?![(（]\s?(?:{NET_WORDS})\s?[:：]?\s?[¥￥€£$]?\s?\d)[(（]?\s?(?:{NET_WORDS})(?!\s?:)",
    # the end of a range, and not "-50%"
    Meaning.FROM: r"(?:-|–|—|to|bis|tot|à)\s?(?:[^\d\s]{1,4}\s?)?(?!\d{1,3}(?:[.,]\d+)?\s?%)\d",
}
