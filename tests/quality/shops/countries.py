"""How shops of a country write money, and the words they put on a product page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Country:
    """`pattern` holds the number in place of `#`; `group` and `point` are its separators; `places` the decimals shown
    (those of the currency unless the country leaves them away)."""

    lang: str
    tld: str
    currency: str
    pattern: str
    group: str
    point: str
    places: int
    cart: str
    in_stock: str
    sold_out: str
    was: str
    related: str
    shipping: str
    save: str

    @property
    def decimals(self) -> int:
        return {"JPY": 0, "KRW": 0, "VND": 0}.get(self.currency, 2)

    def bare(self, minor: int) -> str:
        whole, rest = divmod(minor, 10**self.decimals)
        text = self._grouped(whole)
        if self.places:
            text += f"{self.point}{rest:0{self.places}d}"
        return text

    def _grouped(self, whole: int) -> str:
        if self.currency == "INR" and whole > 999:
            head, tail = divmod(whole, 1000)
            pairs = []
            while head:
                head, pair = divmod(head, 100)
                pairs.append(f"{pair:02d}" if head else str(pair))
            return ",".join([*reversed(pairs), f"{tail:03d}"])
        return f"{whole:,}".replace(",", self.group)

    def written(self, minor: int) -> str:
        return self.pattern.replace("#", self.bare(minor))


def _country(line: str) -> Country:
    (code, tld, currency, pattern, group, point, places, *words) = [part.strip(" ") for part in line.split("|")]
    group = {"": "", "sp": " ", "nb": "\xa0", "thin": "\u202f"}.get(group, group)
    return Country(code, tld, currency, pattern.replace("~", "\xa0"), group, point, int(places), *words)


_LINES = """
en-US|com|USD|$#|,|.|2|Add to Cart|In Stock|Out of stock|Was|You may also like|Shipping|You save
en-GB|co.uk|GBP|£#|,|.|2|Add to basket|In stock|Sold out|RRP|Customers also bought|Delivery|Save
en-AU|com.au|AUD|$#|,|.|2|Add to Cart|In stock|Out of stock|RRP|Related products|Shipping|Save
en-CA|ca|CAD|$#|,|.|2|Add to Cart|In Stock|Out of Stock|Reg.|Recently viewed|Shipping|Save
en-IN|in|INR|₹#|,|.|2|Add to Cart|In Stock|Out of Stock|MRP|Similar products|Delivery|You save
de|de|EUR|#~€|.|,|2|In den Warenkorb|Auf Lager|Ausverkauft|UVP|Ähnliche Artikel|Versandkosten|Sie sparen
de-AT|at|EUR|€~#|.|,|2|In den Warenkorb|Sofort lieferbar|Derzeit nicht verfügbar|statt|Das könnte Ihnen gefallen|Versand|Ersparnis
de-CH|ch|CHF|CHF #|'|.|2|In den Warenkorb|An Lager|Nicht an Lager|statt|Passend dazu|Versand|Sie sparen
nl|nl|EUR|€ #|.|,|2|In winkelwagen|Op voorraad|Uitverkocht|Adviesprijs|Anderen bekeken ook|Verzendkosten|Je bespaart
fr|fr|EUR|#~€|thin|,|2|Ajouter au panier|En stock|Rupture de stock|au lieu de|Vous aimerez aussi|Livraison|Économisez
es|es|EUR|# €|.|,|2|Añadir al carrito|En stock|Agotado|Antes|Productos relacionados|Gastos de envío|Ahorras
it|it|EUR|# €|.|,|2|Aggiungi al carrello|Disponibile|Esaurito|Prezzo consigliato|Potrebbe interessarti anche|Spedizione|Risparmi
pt-PT|pt|EUR|# €|.|,|2|Adicionar ao carrinho|Em stock|Esgotado|Antes|Produtos relacionados|Portes|Poupa
pt-BR|com.br|BRL|R$ #|.|,|2|Comprar|Em estoque|Produto esgotado|De|Quem viu, viu também|Frete|Economize
pl|pl|PLN|# zł|sp|,|2|Do koszyka|W magazynie|Produkt niedostępny|Cena regularna|Podobne produkty|Dostawa|Oszczędzasz
cs|cz|CZK|# Kč|nb|,|0|Do košíku|Skladem|Vyprodáno|Běžná cena|Související zboží|Doprava|Ušetříte
sk|sk|EUR|# €|sp|,|2|Do košíka|Na sklade|Vypredané|Bežná cena|Podobné produkty|Doprava|Ušetríte
hu|hu|HUF|# Ft|sp|,|0|Kosárba|Raktáron|Elfogyott|Eredeti ár|Hasonló termékek|Szállítás|Megtakarítás
ro|ro|RON|# lei|.|,|2|Adaugă în coș|În stoc|Stoc epuizat|PRP|Produse similare|Livrare|Economisești
bg|bg|BGN|# лв.|sp|,|2|Добави в количката|В наличност|Изчерпан|Стара цена|Подобни продукти|Доставка|Спестявате
sv|se|SEK|# kr|nb|,|0|Lägg i varukorgen|I lager|Slutsåld|Ord. pris|Andra köpte också|Frakt|Du sparar
nb|no|NOK|kr #|sp|,|2|Legg i handlekurv|På lager|Utsolgt|Før|Andre kjøpte også|Frakt|Spar
da|dk|DKK|# kr.|.|,|2|Læg i kurv|På lager|Udsolgt|Før|Andre købte også|Fragt|Spar
fi|fi|EUR|# €|nb|,|2|Lisää ostoskoriin|Varastossa|Loppuunmyyty|Norm.|Muut ostivat myös|Toimitus|Säästät
el|gr|EUR|# €|.|,|2|Προσθήκη στο καλάθι|Διαθέσιμο|Εξαντλημένο|Αρχική τιμή|Σχετικά προϊόντα|Μεταφορικά|Κερδίζετε
tr|com.tr|TRY|# TL|.|,|2|Sepete Ekle|Stokta var|Tükendi|Eski fiyat|Benzer ürünler|Kargo|Kazancınız
ru|ru|RUB|# ₽|sp|,|0|В корзину|В наличии|Нет в наличии|Старая цена|Похожие товары|Доставка|Экономия
uk|ua|UAH|# ₴|sp|,|0|В кошик|Є в наявності|Немає в наявності|Стара ціна|Схожі товари|Доставка|Економія
ja|jp|JPY|¥#|,|.|0|カートに入れる|在庫あり|在庫切れ|通常価格|関連商品|送料|割引
ko|kr|KRW|#원|,|.|0|장바구니 담기|재고 있음|품절|정가|관련 상품|배송비|할인
zh-CN|cn|CNY|¥#|,|.|2|加入购物车|有货|缺货|原价|相关商品|运费|立省
zh-TW|tw|TWD|NT$#|,|.|0|加入購物車|有現貨|售完|原價|相關商品|運費|省
en-SG|sg|SGD|S$#|,|.|2|Add to Cart|In stock|Out of stock|Usual price|Similar items|Delivery|Save
en-ZA|co.za|ZAR|R #|sp|.|2|Add to Cart|In stock|Sold out|Was|You may also like|Delivery|Save
ar|ae|AED|AED #|,|.|2|أضف إلى السلة|متوفر|غير متوفر|السعر السابق|منتجات مشابهة|الشحن|وفر
es-MX|com.mx|MXN|$#|,|.|2|Agregar al carrito|Disponible|Agotado|Antes|También te puede interesar|Envío|Ahorra
id|id|IDR|Rp#|.|,|0|Masukkan Keranjang|Stok tersedia|Stok habis|Harga normal|Produk serupa|Ongkir|Hemat
vi|vn|VND|#₫|.|,|0|Thêm vào giỏ hàng|Còn hàng|Hết hàng|Giá gốc|Sản phẩm liên quan|Phí vận chuyển|Tiết kiệm
"""
COUNTRIES = [_country(line) for line in _LINES.strip().splitlines()]
