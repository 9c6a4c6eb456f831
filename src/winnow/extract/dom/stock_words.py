"""Words of cart buttons and stock lines, one line per language or group of them.

Whether a line says something is read in `normalise/`; here it only has to be found.
"""

from __future__ import annotations

import re

CART_LABELS = re.compile(
    r"add (?:item )?to (?:my |your |the |shopping )?(?:cart|bag|basket|trolley|order)|^add$|^buy$|"
    r"buy (?:it )?now|^buy (?:mp3 |the |this )?(?:album|song|e-?book|book|tickets?)(?![^\W_])|^order(?: now)?$|^purchase$|^shop now$|pre-?order(?: now)?$|back-?order$|^(?:jetzt )?vorbestellen|^pré-?commander|予約|"
    r"in den (?:waren|einkaufs)korb|in den korb|in die tasche|zum warenkorb|^jetzt (?:kaufen|bestellen)|^kaufen|^bestellen|"
    r"in (?:mijn |de |het )?winkel(?:wagen|mand(?:je)?)|toevoegen aan (?:winkel|je)|"
    r"^bestel(?: nu)?|^koop(?: nu)?|"
    r"ajouter (?:au|à mon|à la|dans le) (?:panier|caddie|cabas)|^acheter|j'achète|^commander|^ajouter$|"
    r"(?:añadir|agregar|poner) (?:al?|a la|a mi|en (?:el|la)) (?:carrito|carro|cesta|bolsa)|^comprar|^añadir$|"
    r"adicionar (?:ao carrinho|à sacola)|colocar no carrinho|"
    r"lägg (?:i|till i) (?:varukorg|kundvagn)|^köp|i kurv|læg i|^køb|^kjøp|legg i|lisää (?:ostos)?koriin|^osta\b|"
    r"do koszyka|^kup|do košíku|do košíka|^koupit|^kúpiť|kosárba|megveszem|adaug[ăa] [îi]n co[șşs]|[îi]n co[șşs]|"
    r"в корзину|купить|в кошик|купити|(?:добави )?в количка|купи\b|aggiungi (?:al carrello|alla borsa)|"
    r"^acquista|nel carrello|sepete (?:ekle|at)|satın al|"
    r"(?:προσθήκη|προσθηκη|βάλε) στο καλάθι|αγορά|dodaj u (?:košaricu|korpu)|v košarico|lisa (?:ostu)?korvi|į krepšelį|grozā|"
    r"カート|買い物かご|購入|购物车|加入購物車|加入购物袋|立即购买|立即購買|장바구니|구매하기|바로구매|"
    r"أضف إلى|اشتر|افزودن به سبد|הוסף לסל|keranjang|beli sekarang|giỏ hàng|mua ngay|หยิบใส่|ใส่ตะกร้า|ซื้อ",
    re.IGNORECASE,
)
GONE = re.compile(
    r"sold ?out|out of stock|unavailable|not available|notify me|ausverkauft|vergriffen|nicht (?:mehr )?(?:verfügbar|lieferbar)|"
    r"nicht (?:auf|an) lager|uitverkocht|niet (?:op voorraad|leverbaar|beschikbaar)|"
    r"épuisé|rupture|indisponible|agotado|sin stock|sin existencias|no disponible|slutsåld|slut i lager|tillfälligt slut|"
    r"utsolgt|udsolgt|loppuunmyyty|loppu varastosta|wyprzedan|niedostępn|brak w magazynie|売り切れ|在庫切れ|品切れ|sold\s?out|"
    r"esaurito|non disponibile|esgotado|indisponível|vyprodáno|vypredané|nedostupn|není skladem|elfogyott|nincs (?:készleten|raktáron)|"
    r"stoc epuizat|indisponibil|изчерпан|няма наличност|нет в наличии|нет на складе|немає в наявності|tükendi|stokta yok|"
    r"εξαντλ|μη διαθέσιμο|품절|일시품절|缺货|缺貨|售罄|售完|غير متوفر|نفد|stok habis|hết hàng|สินค้าหมด|אזל",
    re.IGNORECASE,
)
ORDERED_LATER = re.compile(
    r"pre-?order|back-?order|vorbestell|pré-?command|preventa|preordin|förbeställ|forudbestil|forhåndsbestill|予約",
    re.IGNORECASE,
)
STOCK_LABEL = re.compile(
    r"(?:availability|stock|status|verfügbarkeit|lagerstand|lagerbestand|lieferbarkeit|disponibilit[éàa]|disponibilidade?|"
    r"beschikbaarheid|voorraad|tillgänglighet|lagerstatus|dostępność|dostupnost|dostupnosť|elérhetőség|készlet|disponibilitate|"
    r"наличие|наявність|наличност|stok durumu|saatavuus|διαθεσιμότητα|在庫|재고|库存|庫存|ketersediaan|tình trạng)[^:：]{0,12}[:：]",
    re.IGNORECASE,
)
# Stems of what stock lines are made of; whether one says something is read in `normalise/`.
STOCKISH = re.compile(
    r"stock|availab|ships|lager|lieferbar|verfügbar|vorrätig|voorraad|leverbaar|beschikbaar|dispon|magazzin|estoque|magazyn|"
    r"dostępn|sklad|raktár|készlet|stoc|налич|наявн|складе|stokta|varast|saatavilla|διαθέσιμ|απόθεμα|order|bestell|"
    r"在庫|即納|재고|有货|现货|現貨|庫存|متوفر|متاح|tersedia|còn hàng|สินค้า|במלאי|" + GONE.pattern,
    re.IGNORECASE,
)
