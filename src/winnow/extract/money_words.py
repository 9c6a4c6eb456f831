"""What an amount can mean, and the words beside it that say so, one line per language or group of them."""

from __future__ import annotations

from enum import StrEnum


class Meaning(StrEnum):
    """What an amount is. Only SELLING ones can be the price."""

    SELLING = "selling"
    STRUCK = "struck"
    REGULAR = "regular"  # the selling price, unless a lower one stands beside it
    NET = "net"  # without tax; the selling price where nothing else is shown
    FROM = "from"
    UNIT = "unit"
    ASIDE = "aside"  # instalments, shipping, savings, tiers, member prices


BEFORE = {
    Meaning.FROM: r"from|starting (?:at|from)|as low as|ab|vanaf|à partir de|a partir de|dès|desde|da|od|fra|från|от|від|"
    r"alkaen|από|mulai|từ",
    Meaning.STRUCK: r"was|were|rrp|msrp|mrp|srp|uvp|list(?: price)?|retail(?: price)?|regular price|usual price|"
    r"original(?: price)?(?: was)?|old price|valued? at|value|worth|"
    r"reg\.?|compare(?: at)?|statt|vorher|bisher|van|adviesprijs|au lieu de|prix conseillé|antes|"
    r"precio anterior|before|ord\.? ?pris|før|før-?pris|vejl\.? ?pris|norm\.|ovh|"
    r"tidigare|cena regularna|najniższa cena[^:]{0,60}|lowest price[^:]{0,60}|tiefster preis[^:]{0,60}|"
    r"prezzo (?:consigliato|di listino)|listino|invece di|anzich[eé]|běžná cena|bežná cena|původn[ěí](?: cena)?|"
    r"eredeti ár|prp|стар(?:ая|а) (?:цена|ціна)|αρχική τιμή|π\.?λ\.?τ\.?|eski fiyat|piyasa fiyatı|"
    r"通常価格|定価|参考価格|정가|原价|原價|建議售價|市场价|السعر السابق|harga normal|giá gốc|(?<=\bde)(?=[:\s]*r\$)",
    Meaning.ASIDE: r"save|you save|saving|savings|sie sparen|spare|spar|du sparar|bespaar|je bespaart|économisez|ahorra|ahorras|"
    r"risparmi|poupa|economize|oszczędzasz|ušetříte|ušetríte|säästät|kazancınız|экономия|економія|"
    r"shipping|versand(?:kosten)?|delivery|frakt|fragt|dostawa|doprava|szállítás|livrare|kargo|доставка|送料|배송비|运费|運費|"
    r"verzending|verzendkosten|livraison|spedizione|portes|frete|gastos de envío|"
    r"envío|orders over|over|above|ab einem bestellwert von|klarna|afterpay|payments of|\d+\s?[x×]|or \d+|"
    r"deposit|pfand|statiegeld|trade-in[^:]{0,20}|up to|club|members?|coupon[^:]{0,20}|code [\w-]{1,12}|\+|"
    r"spend|buy used|used|refurbished|renewed|gebraucht|d'occasion|tweedehands|subscribe(?: (?:&|and) save)?|autoship|im abo|"
    r"approx(?:imately|\.)?|circa|≈|subtotal|cart|basket|minimum|discount|rabatt|korting|remise",
    Meaning.NET: r"ex\.? ?(?:vat|tax|btw|moms)|excl\.? ?(?:vat|tax|btw)?|netto|ht",
}
AFTER = {
    Meaning.UNIT: r"(?:/|per|pro|par|por|je|al)\s?(?:\d+\s?)?(?:kg|g|l|ml|m|m²|m2|lb|oz|ft|st|stuk|stück|round|rd|rnd|"
    r"count|ct|each|unit|"
    r"litre|liter|100 ?ml|100 ?g|sheet|piece|tablet|night|person|ounce|fl\.? ?oz|fluid ounce|pound|gram|millilit(?:er|re)|"
    r"sq\.? ?ft|square|foot|load|wash|dose|capsule)\b",
    Meaning.ASIDE: r"(?:/|per|pro|par|a|p\.?)\s?(?:mo|month|monat|maand|mois|mes|mnd|mån|månad|md|miesiąc|week|year|"
    r"jahr)\b|monthly|monatlich|off\b|klarna|more (?:for|to)\b|away from\b|minimum\b|"
    r"(?:shipping|delivery|versand|korting|rabatt)\b(?!\s*[:.])",
    Meaning.NET: r"\(?(?:ex\.?|excl\.?|excluding|zzgl\.?|hors|sin)\s?(?:vat|tax|btw|moms|mwst|tva|iva|taxes)|ht\b|"
    r"netto",
    Meaning.FROM: r"(?:-|–|—|to|bis|tot|à)\s?(?:[^\d\s]{1,4}\s?)?\d",
}
