"""Which column of which network means what (F-076 … F-080, F-134). Data only.

A role is what a value is for; each has its column names in order of preference. Names are compared without
case; a second look ignores spaces, underscores and other signs too, so `Sale Price`, `sale_price` and
`SALEPRICE` are one. The names of the feed's own network come first, then those of the list, then everybody
else's: a file in another network's layout is still read.
"""

from __future__ import annotations

from collections.abc import Mapping

VERSION = 4  # F-134: raised when a priority changes, so that a run can say by which table it was mapped

ROLES = (
    "item_id", "sku", "name", "url", "tracking_url", "sale_price", "price", "list_price", "currency", "stock",
    "gtin", "mpn", "brand", "image_url", "category", "description", "condition", "sale_dates", "sale_begins",
    "sale_ends",
)  # fmt: skip

Priorities = Mapping[str, tuple[str, ...]]

# The order of the list (F-076 … F-080), which is Impact's.
LISTED: Priorities = {
    "sale_price": ("SalePrice", "Sale Price", "CurrentPrice", "Current Price"),
    "price": ("Price", "ListPrice", "List Price"),
    "list_price": ("OriginalPrice", "Original Price", "MSRP", "RetailPrice", "Retail Price"),
    "gtin": ("Gtin", "UPC", "EAN", "ISBN"),
    "name": ("Name", "ProductName", "Product Name", "Title"),
    "url": ("Url", "ProductURL", "Product URL", "Link"),
    "sku": ("SKU", "MerchantSKU", "merchant_sku", "ProductSKU", "Unique Merchant SKU"),
    "item_id": ("CatalogItemId", "ItemId", "item_id"),
    "brand": ("Manufacturer", "Brand"),
    "image_url": ("ImageUrl", "Image URL", "Image", "PrimaryImage"),
    "description": ("Description", "ProductDescription", "Product Description"),
    "category": ("Category", "ProductCategory", "Product Type"),
    "currency": ("Currency", "CurrencyCode"),
    "stock": ("StockAvailability", "Stock Availability", "Availability", "InStock"),
    "mpn": ("MPN", "ManufacturerPartNumber", "Manufacturer Part Number", "PartNumber", "Part Number"),
    "condition": ("Condition", "Product Condition"),
}

NETWORKS: dict[str, Priorities] = {
    "IMPACT": {},
    "AVANTLINK": {
        "brand": ("Brand Name",),
        "url": ("Buy Link", "Buy URL"),
        "mpn": ("Manufacturer Id",),
        "description": ("Long Description", "Short Description"),
        "category": ("SubCategory", "Category", "Product Group"),
        "image_url": ("Image URL", "Large Image", "Medium Image URL", "Medium Image", "Thumb URL", "Thumbnail Image"),
    },
    "CJ": {
        "sku": ("SKU", "ID"),
        "name": ("Name", "Title"),
        "url": ("Link", "BuyUrl", "Buy URL"),
        "mpn": ("MPN", "ManufacturerId"),
        "image_url": ("Image Link", "ImageUrl"),
        "category": ("Product Type", "AdvertiserCategory", "Google Product Category", "Google Product Category Name"),
    },
    "RAKUTEN": {
        "item_id": ("Product ID",),
        "sku": ("SKU Number", "SKU"),
        "url": ("Product URL", "Buy URL", "url/product"),
        "image_url": ("Product Image URL", "url/productImage"),
        "description": (
            "Long Product Description", "Short Product Description", "description/long", "description/short",
        ),
        "category": ("Primary Category", "category/primary"),
        "sale_price": ("Sale Price", "price/sale"),
        "list_price": ("Retail Price", "price/retail"),
        "currency": ("Currency", "price@currency"),
        "brand": ("Brand", "Manufacturer Name"),
        "mpn": ("Manufacturer Part #", "Manufacturer Part Number", "part_number"),
        "gtin": ("UPC", "Universal Product Code"),
        "stock": ("Availability", "shipping/availability"),
    },
    "SHAREASALE": {
        "item_id": ("ProductID", "Product ID"),
        "url": ("Link", "URL to product"),
        "image_url": ("BigImage", "URL to image", "Thumbnail", "URL to thumbnail image"),
        "description": ("Description", "ShortDescription"),
        "category": ("MerchantCategory", "Category"),
        "mpn": ("PartNumber",),
        "stock": ("Status",),
    },
    "AWIN": {
        "item_id": ("aw_product_id",),
        "sku": ("merchant_product_id", "pId"),
        "name": ("product_name", "text/name"),
        "url": ("merchant_deep_link", "uri/mLink", "aw_deep_link", "uri/awTrack"),
        "tracking_url": ("aw_deep_link", "uri/awTrack"),
        "sale_price": ("search_price", "store_price", "price/buynow"),
        "price": ("display_price", "base_price"),
        "list_price": ("rrp_price", "product_price_old", "saving_was", "price/rrp"),
        "currency": ("price@curr",),
        "description": ("text/desc",),
        "gtin": ("product_GTIN", "ean", "upc", "isbn"),
        "brand": ("brand_name", "brand/brandName"),
        "mpn": ("mpn", "product_model"),
        "image_url": ("merchant_image_url", "uri/mImage", "aw_image_url", "large_image", "uri/awImage"),
        "category": ("merchant_category", "category_name", "merchant_product_category_path", "cat/mCat", "cat/awCat"),
        "stock": ("stock_status", "in_stock", "stock_quantity", "is_for_sale"),
    },
    "GOOGLE": {
        "sku": ("id",),
        "name": ("title",),
        "url": ("link",),
        "brand": ("brand",),
        "image_url": ("image_link",),
        "category": ("product_type", "google_product_category"),
        "sale_dates": ("sale_price_effective_date",),
    },
}  # fmt: skip

# Only where a header has no regular price at all: the retail price is what is paid when there is no sale
# (AvantLink and Rakuten have nothing but these two).
PRICE_OF_LAST_RESORT = ("RetailPrice", "Retail Price", "price/retail")

# Where a file has the price both without and with tax, the second is what is paid: it stands before every other.
PRICE_WITH_TAX = ("Price VAT", "Price with VAT", "Price incl VAT", "Price inc VAT", "Price including VAT",
                  "Price with tax", "Price incl tax", "Price tax incl", "Price inc tax", "Price gross", "Gross price",
                  "Bruttopreis", "Preis brutto", "Preis inkl MwSt", "Prix TTC", "Prix de vente TTC", "Precio con IVA",
                  "Prezzo ivato", "Prezzo IVA inclusa", "Prijs incl BTW", "Cena brutto", "Cena s DPH", "Pris inkl moms",
                  "Preço com IVA", "Cijena s PDV", "VK brutto", "VK-Preis brutto", "Verkaufspreis brutto",
                  "Pret cu TVA", "Bruttoverkaufspreis", "Bruttó ár",
                  "Cena sprzedaży brutto",
                  "Prezzo con IVA", "Precio IVA incluido", "Hinta sis ALV")  # fmt: skip

# Generic words, after all others: shop systems' exports, price comparisons' own layouts, smaller networks.
ANYBODY: Priorities = {
    "item_id": ("TDProductId",),
    "sku": ("Variant SKU", "Seller SKU", "Item SKU", "Product Code SKU", "SKU Code", "Custom Label SKU", "Custom Label",
            "Item Number", "ItemNumber", "Item No", "Item Code",
            "Product Code", "Product Number", "Merchant Product Number", "Merchant Product ID", "Product ID",
            "Offer ID", "Article Number", "ArtNumber", "Article No", "Article ID", "Reference", "Stock Code",
            "Unique ID", "Identifier", "AID", "ID", "ID Product", "Code"),
    "url": ("Deeplink", "Deep Link", "Deeplink URL", "Deeplink1", "Landing Page", "Landing Page URL", "Product Link",
            "Product Page URL", "Product Page", "Product Deeplink", "URL Product", "Item URL", "Item Link", "Offer URL",
            "Article URL", "Page URL", "Web URL", "Final URL", "Store Page URL", "Target URL", "Direct URL",
            "Direct Link", "Destination URL", "Canonical URL", "Canonical Link", "Permalink", "External URL",
            "Link URL", "Affiliate URL",
            "Affiliate Link", "Tracking URL", "Promotion URL", "Click URL"),
    "tracking_url": ("Tracking URL", "Tracking Link", "Affiliate URL", "Affiliate Link", "Click URL"),
    "name": ("Item Name", "Item Title", "Product Title", "Name Product", "Product", "Designation", "Model"),
    "sale_price": ("Special Price", "Discounted Price", "Discount Price", "Promo Price", "Price Sale",
                   "Promotional Price", "Price Current", "Now Price", "Price Now", "Now", "Deal Price", "Reduced Price",
                   "Clearance Price", "Campaign Price", "Price Special", "Price Promo", "Price Discounted",
                   "Price With Discount", "Price After Discount"),
    "price": ("Product Price", "Item Price", "Price Product", "Price New", "New Price", "Standard Price",
              "Regular Price", "Variant Price", "Final Price", "Selling Price", "Our Price", "Actual Price",
              "Sell Price", "Sales Price", "Online Price", "Web Price", "Start Price", "Buy It Now Price",
              "price/amount", "price@amount", "price/value", "price@value", "prices/price"),
    "list_price": ("Old Price", "Price Old", "Product Price Old", "Previous Price", "Former Price", "From Price",
                   "Was Price", "Price Before", "Price Before Discount", "Compare At Price",
                   "Variant Compare At Price", "RRP", "Recommended Retail Price", "Suggested Retail Price",
                   "Price Retail", "Price No Rebate", "Strike Price", "Regular Price",
                   "Normal Price", "Initial Price", "Origin Price", "Was", "Price Was", "Before Price", "Full Price",
                   "Strikethrough Price", "Suggested Price", "Recommended Price"),
    "gtin": ("Barcode", "Variant Barcode", "EAN13", "EAN Code", "EANs", "EAN GTIN", "GTIN EAN", "UPC Code", "UPCorEAN",
             "UPC EAN", "EAN UPC", "Product EAN", "European Article Number", "Product UPC EAN",
             "GTIN13", "GTIN14", "GTIN12", "GTIN8", "External Product ID"),
    "mpn": ("Vendor Code", "ProductNo", "Manufacturer Number", "Manufacturer SKU", "Manufacturer Product Number",
            "Part No", "HAN", "HANs", "MPNr"),
    "brand": ("Brand Name", "Product Manufacturer Brand", "Vendor", "Producer", "Maker", "Brands", "Global Brand",
              "Manufacturer Brand",
              "Designer"),
    "stock": ("Stock Status", "Is In Stock", "Available", "Avail", "Availability Status", "Stock", "Stock Level",
              "Stock Quantity", "Stock Qty", "Quantity Available", "Available Quantity", "Quantity", "Qty", "Inventory",
              "Variant Inventory Qty", "Quantity to sell on Facebook", "Current Stock Level", "In Stock Qty",
              "In Stock Amount", "Stock Amount"),
    "image_url": ("Picture", "Picture URL", "Picture Link", "Image Src", "ImgURL", "imgs/main", "images/image",
                  "images/image/location", "Image 1", "Image URL 1", "Image 1 URL", "Main Image", "Image Large",
                  "Image Large URL", "Large Image URL", "Big Image", "Image Big URL", "Product Image", "Image Product",
                  "Images", "Image URLs", "Image Location", "Photo", "Small Image", "Base Image",
                  "Main Image URL", "Product Image File 1", "Photo URL", "Item Photo URL", "Graphic URL", "Img",
                  "Image Main", "Primary Image URL", "Featured Image", "Default Image", "Pictures", "Photos"),
    "description": ("Body HTML", "Description Long", "Product Descriptions Long", "Short Description",
                    "Description Short", "Product Short Description", "Desc"),
    "category": ("Categories", "Category Text", "Category Path", "Category Name", "Merchant Category Name",
                 "Merchant Product Category", "Category Program", "Shop Cat", "Cat", "Department"),
    "currency": ("Currency ISO", "ISO Currency", "Currency ID", "Price Currency", "Currency Symbol",
                 "Currency Symbol Of Price", "price/currencyCode", "price@currencyCode", "prices/price@currency"),
    "condition": ("Item Condition",),
    "sale_begins": ("Sale Start Date", "Sale Price Start Date", "Sale Begin Date", "Sale Start", "Sale From",
                    "Date sale price starts", "Special Price From Date", "Special From Date", "Sale Price From",
                    "Promo Start Date", "Promotion Start Date"),
    "sale_ends": ("Sale End Date", "Sale Price End Date", "Sale End", "Sale To", "Date sale price ends",
                  "Special Price To Date", "Special To Date", "Sale Price To", "Promo End Date", "Promotion End Date"),
}  # fmt: skip

# The same in other languages.
ELSEWHERE: Priorities = {
    "sku": ("Artikelnummer", "Artikelnummer im Shop", "Référence", "Referencia", "Referência", "Artikelnr",
            "Artikel-Nr.", "Artikelcode", "Produktid", "ID produit", "Artnr", "Ref", "Codice", "Codice articolo",
            "Codice prodotto", "Código", "Código del producto", "Kod produktu", "Kod", "Kód", "Kód produktu",
            "Varenummer", "Tuotenumero", "Cikkszám", "Cod produs", "Cod", "Ürün Kodu", "Stok Kodu", "Κωδικός", "Код",
            "Код товара", "Šifra", "Unieke code", "商品番号", "商品コード", "商品编号", "商品编码", "상품코드",
            "상품번호", "Артикул", "Bestellnummer", "Bestell-Nr.", "Anbieter Artikelnummer AAN",
            "Identifiant unique", "Identifiant", "Cikkszám / SKU", "Tuotekoodi", "Varenr", "Artikel-ID",
            "Código artículo", "Référence produit"),
    "name": ("Produktname", "Artikelname", "Artikelbezeichnung", "Produktbezeichnung", "Bezeichnung", "Titel", "Nom",
             "Nom du produit", "Nom produit", "Titre", "Désignation", "Nome", "Nome prodotto", "Titolo", "Nombre",
             "Nombre del producto", "Título", "Nome do produto", "Naam", "Productnaam", "Nazwa", "Nazwa produktu",
             "Název", "Název produktu", "Názov", "Produktnavn", "Produktnamn", "Navn", "Namn", "Nimi", "Tuotenimi",
             "Név", "Terméknév", "Nume", "Nume produs", "Denumire", "Ürün Adı", "Ürün İsmi", "Όνομα", "Ονομασία", "Име",
             "Наименование", "Название", "Назва", "Naziv", "Produkttitel", "Artikeltitel", "Libellé",
             "Intitulé", "Titolo prodotto", "Nombre producto", "Nombre del artículo", "Nome produto", "Varenavn",
             "Termék neve", "Titlu", "Τίτλος",
             "Headline", "Heading", "商品名", "製品名", "商品名称", "产品名称", "상품명"),
    "url": ("Produkt-URL", "Produktlink", "Lien", "URL du produit", "URL produit", "Lien produit", "URL del producto",
            "Enlace", "Enlace del producto", "Enlace producto", "Produktseite", "URL prodotto",
            "Link prodotto", "Link do produto", "Link produs", "Link termék", "Tuotelinkki",
            "Website Link", "Web Link", "URL do produto", "Adres URL",
            "Produktlänk", "Länk", "Lenke", "Linkki",
            "Vareurl", "Ürün Linki", "Σύνδεσμος", "Линк", "Ссылка", "Посилання", "Poveznica", "商品URL",
            "商品ページURL", "商品链接", "상품URL"),
    "sale_price": ("Angebotspreis", "Sonderpreis", "Aktionspreis", "Prix promo", "Prix soldé", "Prezzo scontato",
                   "Precio especial", "Precio rebajado", "Preço promocional", "Aanbiedingsprijs", "Cena promocyjna",
                   "Akciová cena", "Reapris", "Kampanjpris", "Tarjoushinta", "Akciós ár", "İndirimli Fiyat", "Nypris",
                   "Precio oferta", "Precio de oferta", "Precio con descuento", "Prix remisé", "Prix réduit",
                   "Prezzo offerta", "Prezzo promozionale", "Preț redus", "Preț promoțional", "Tilbudspris",
                   "Zľavnená cena",
                   "セール価格"),
    "price": ("Preis", "Verkaufspreis", "VK-Preis", "Endpreis", "Prix", "Prix de vente", "Prezzo",
              "Prezzo di vendita", "Precio", "Precio de venta", "PVP", "Preço", "Prijs", "Verkoopprijs", "Cena",
              "Cena sprzedaży", "Pris", "Hinta", "Ár", "Preț", "Pret", "Fiyat", "Satış Fiyatı", "Τιμή", "Цена", "Ціна",
              "Cijena", "価格", "販売価格", "价格", "售价", "가격", "판매가"),
    "list_price": ("UVP", "Streichpreis", "Alter Preis", "Prix barré", "Prix conseillé", "Prezzo di listino",
                   "Prezzo originale", "Precio original", "Precio anterior", "Preço original", "Adviesprijs",
                   "Van-prijs", "Cena katalogowa", "Stara cena", "Původní cena", "Ordinarie pris", "Glpris",
                   "Førpris", "Preț vechi", "Eski Fiyat", "Старая цена", "定価",
                   "Normalpreis", "Statt-Preis", "Listenpreis", "Prix normal", "Prix public", "Prix d'origine",
                   "Precio normal", "Precio regular", "Precio de lista", "Cena regularna", "Běžná cena", "Normalpris",
                   "Veiledende pris", "Normaalihinta"),
    "currency": ("Währung", "Waehrung", "Devise", "Valuta", "Moneda", "Monedă", "Moeda", "Waluta", "Měna", "Mena",
                 "Pénznem", "Valuutta", "Para Birimi", "Divisa", "Munteenheid",
                 "Νόμισμα", "Curr", "Валюта", "通貨", "货币", "통화"),
    "stock": ("Verfügbarkeit", "Verfuegbarkeit", "Lagerbestand", "Bestand", "Disponibilité", "Disponibilità",
              "Disponibilidad", "Disponibilidade", "Beschikbaarheid", "Voorraad", "Dostępność", "Stan magazynowy",
              "Dostupnost", "Dostupnosť", "Lagerstatus", "Lagersaldo", "Lagerantal", "Saatavuus", "Varastosaldo",
              "Készlet", "Elérhetőség", "Disponibilitate", "Stoc", "Stok", "Stok Durumu", "Διαθεσιμότητα", "Наличие",
              "Наличност", "Наявність", "Existencias", "På lager", "Op voorraad", "En stock",
              "Auf Lager", "Lieferbar", "Verfügbar", "Disponible", "Giacenza", "Estoque", "Quantité", "Quantità",
              "Cantidad", "在庫", "库存", "재고"),
    "brand": ("Hersteller", "Herstellername", "Marke", "Marque", "Fabricant", "Marca", "Marchio", "Produttore",
              "Fabricante", "Fabricante / Marca", "Merk", "Fabrikant", "Producent", "Marka", "Výrobce", "Výrobca",
              "Značka", "Tillverkare", "Varumärke", "Mærke", "Merke", "Merkki", "Valmistaja", "Gyártó", "Márka",
              "Producător", "Üretici", "Κατασκευαστής", "Μάρκα", "Марка", "Производитель", "Виробник", "Бренд",
              "Proizvođač", "ブランド", "メーカー", "品牌", "브랜드", "Markenname", "Merknaam",
              "Make"),
    "mpn": ("Herstellernummer", "Hersteller-Artikelnummer", "Référence fabricant", "Codice produttore", "Артикул"),
    "gtin": ("EAN / GTIN / código barras", "Codice a barre", "Código de barras", "Code-barres", "Штрихкод", "Штрих-код",
             "Kod kreskowy", "Čárový kód", "Vonalkód", "Barkod", "JANコード", "条形码", "바코드"),
    "image_url": ("Bild", "Bild-URL", "Bildlink", "Bild-Link", "Produktbild", "URL image", "URL de l'image",
                  "Lien image", "URLimagen_1", "Imagen", "URL de la imagen", "Immagine", "URL immagine", "Imagem",
                  "URL da imagem", "Afbeelding", "Afbeelding URL", "Zdjęcie", "Obrázek", "Obrázok", "Bildlänk",
                  "Billedurl", "Billede URL", "Billede", "Bilde", "Kuva", "Kép", "Imagine", "Resim", "Görsel",
                  "Hauptbild", "Bild 1", "Bildadresse",
                  "Afbeeldingslink", "Imagem Link", "Immagine Link", "Zdjęcie Link", "Link do zdjęcia", "Kuvan URL",
                  "Kép URL", "URL imagine", "Resim Linki", "Bilde-URL", "Картинка", "Photo Link", "Thumbnail URL",
                  "Foto", "Foto-Link",
                  "Image-locatie", "Imagen 1", "Imagen principal", "Image principale", "Immagine principale", "Εικόνα",
                  "Снимка", "Изображение", "Зображення", "Slika", "画像URL", "画像", "图片链接", "图片", "이미지URL"),
    "description": ("Beschreibung", "Produktbeschreibung", "Langbeschreibung", "Descriptif", "Descrizione",
                    "Descripción", "Descripción del producto", "Descrição", "Omschrijving", "Beschrijving", "Opis",
                    "Popis", "Beskrivelse", "Beskrivning", "Kuvaus", "Leírás", "Descriere", "Açıklama", "Περιγραφή",
                    "Описание", "Опис", "説明", "商品説明", "描述", "설명"),
    "category": ("Kategorie", "Produktkategorie", "Kategoriepfad", "Warengruppe", "Catégorie", "Categoria",
                 "Categoría", "Categoría del producto en la tienda", "Categorie", "Kategoria", "Kategória",
                 "Kategorinavn", "Kategori", "Kategorija", "Κατηγορία", "Категория", "Категорія", "カテゴリ", "分类",
                 "카테고리"),
    "condition": ("Zustand", "État", "Condizione", "Estado", "Staat", "Stan"),
}  # fmt: skip

# Files that may come without a header: the order of the columns is the network's.
POSITIONS: dict[str, tuple[str, ...]] = {
    "RAKUTEN": (
        "Product ID", "Product Name", "SKU Number", "Primary Category", "Secondary Category", "Product URL",
        "Product Image URL", "Buy URL", "Short Product Description", "Long Product Description", "Discount",
        "Discount Type", "Sale Price", "Retail Price", "Begin Date", "End Date", "Brand", "Shipping", "Keywords",
        "Manufacturer Part #", "Manufacturer Name", "Shipping Information", "Availability", "UPC", "Class ID",
        "Currency", "M1", "Pixel",
    ),
    "SHAREASALE": (
        "ProductID", "Name", "MerchantID", "Merchant", "Link", "Thumbnail", "BigImage", "Price", "RetailPrice",
        "Category", "SubCategory", "Description", "Custom1", "Custom2", "Custom3", "Custom4", "Custom5",
        "LastUpdated", "Status", "Manufacturer", "PartNumber", "MerchantCategory", "MerchantSubcategory",
        "ShortDescription", "ISBN", "UPC", "SKU",
    ),
}  # fmt: skip


def priorities(network: str, role: str) -> list[str]:
    """Column names of a role, best first, each once."""
    tables = [NETWORKS.get(network, {}), LISTED]
    tables += [table for name, table in NETWORKS.items() if name != network] + [ANYBODY, ELSEWHERE]
    return list(dict.fromkeys(name for table in tables for name in table.get(role, ())))
