"""Which column of which network means what (F-076 … F-080, F-134). Data only.

A role is what a value is for; each has its column names in order of preference. Names are compared without
case; a second look ignores spaces, underscores and other signs too, so `Sale Price`, `sale_price` and
`SALEPRICE` are one. The names of the feed's own network come first, then those of the list, then everybody
else's: a file in another network's layout is still read.
"""

from __future__ import annotations

from collections.abc import Mapping

VERSION = 2  # F-134: raised when a priority changes, so that a run can say by which table it was mapped

ROLES = (
    "item_id", "sku", "name", "url", "tracking_url", "sale_price", "price", "list_price", "currency", "stock",
    "gtin", "mpn", "brand", "image_url", "category", "description", "condition", "sale_dates",
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
        "sku": ("merchant_product_id",),
        "name": ("product_name",),
        "url": ("merchant_deep_link", "aw_deep_link"),
        "tracking_url": ("aw_deep_link",),
        "sale_price": ("search_price", "store_price"),
        "price": ("display_price", "base_price"),
        "list_price": ("rrp_price", "product_price_old", "saving_was"),
        "gtin": ("product_GTIN", "ean", "upc", "isbn"),
        "brand": ("brand_name",),
        "mpn": ("mpn", "product_model"),
        "image_url": ("merchant_image_url", "aw_image_url", "large_image"),
        "category": ("merchant_category", "category_name", "merchant_product_category_path"),
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
                  "Price with tax", "Price incl tax", "Gross price", "Bruttopreis", "Prix TTC")  # fmt: skip

# Generic words, after all others: shop systems' exports, price comparisons' own layouts, smaller networks.
ANYBODY: Priorities = {
    "item_id": ("TDProductId",),
    "sku": ("Variant SKU", "Item Number", "ItemNumber", "Product Code", "Product ID", "Offer ID", "Article Number",
            "Reference", "Unique ID", "ID"),
    "url": ("Deeplink", "Deep Link", "Landing Page", "Landing Page URL", "Product Link", "Product Page URL",
            "Product Page", "Web URL", "Final URL", "External URL", "Link URL", "Affiliate URL", "Affiliate Link",
            "Tracking URL"),
    "tracking_url": ("Tracking URL", "Tracking Link", "Affiliate URL", "Affiliate Link", "Click URL"),
    "name": ("Item Name", "Item Title", "Product Title", "Product", "Designation", "Model"),
    "sale_price": ("Special Price", "Discounted Price", "Discount Price", "Promo Price", "Price Sale"),
    "price": ("Regular Price", "Variant Price", "Final Price", "Selling Price", "Our Price"),
    "list_price": ("Old Price", "Previous Price", "Was Price", "Compare At Price", "Variant Compare At Price", "RRP",
                   "Price Retail", "Price No Rebate", "Strike Price"),
    "gtin": ("Barcode", "Variant Barcode", "EAN13", "EAN Code", "EANs", "EAN GTIN", "GTIN EAN", "UPC Code", "UPCorEAN",
             "GTIN13", "GTIN14", "GTIN12", "GTIN8"),
    "mpn": ("Vendor Code", "ProductNo", "Manufacturer Number", "Part No", "HAN"),
    "brand": ("Brand Name", "Vendor", "Producer", "Maker"),
    "stock": ("Stock Status", "Is In Stock", "Available", "Avail", "Stock", "Stock Level", "Stock Quantity", "Quantity",
              "Qty", "Inventory", "Variant Inventory Qty", "Quantity to sell on Facebook"),
    "image_url": ("Picture", "Picture URL", "Image Src", "ImgURL", "imgs/main", "images/image", "Image 1",
                  "Image URL 1", "Main Image", "Product Image", "Images", "Image URLs", "Photo"),
    "description": ("Body HTML", "Description Long", "Short Description", "Description Short", "Desc"),
    "category": ("Categories", "Category Text", "Category Path", "Category Name", "Merchant Category Name",
                 "Category Program", "Cat", "Department"),
    "currency": ("Currency ISO", "ISO Currency", "Currency ID", "Price Currency"),
    "condition": ("Item Condition",),
}  # fmt: skip

# The same in other languages.
ELSEWHERE: Priorities = {
    "sku": ("Artikelnummer", "Artikelnummer im Shop", "Référence", "Referencia", "Artikelnr", "Produktid",
            "Artnr", "Ref"),
    "name": ("Produktname", "Artikelname", "Bezeichnung", "Titel", "Nom", "Nom du produit", "Titre", "Désignation",
             "Nome", "Nome prodotto", "Titolo", "Nombre", "Nombre del producto", "Título", "Nome do produto", "Naam",
             "Productnaam", "Nazwa", "Název", "Produktnavn", "Produktnamn", "Название", "Наименование"),
    "url": ("Produkt-URL", "Produktlink", "Lien", "URL du produit", "Lien produit", "URL del producto", "Enlace",
            "URL prodotto", "Produkt URL", "Vareurl", "Ссылка"),
    "sale_price": ("Angebotspreis", "Sonderpreis", "Prix promo", "Prix soldé", "Prezzo scontato", "Precio especial",
                   "Precio rebajado", "Preço promocional", "Aanbiedingsprijs", "Nypris"),
    "price": ("Preis", "Verkaufspreis", "Prix", "Prezzo", "Precio", "Preço", "Prijs", "Cena", "Pris", "Цена"),
    "list_price": ("UVP", "Streichpreis", "Prix barré", "Prix conseillé", "Prezzo di listino", "Precio original",
                   "Adviesprijs", "Glpris", "Старая цена"),
    "currency": ("Währung", "Devise", "Valuta", "Moneda", "Moeda", "Waluta", "Měna", "Валюта"),
    "stock": ("Verfügbarkeit", "Lagerbestand", "Bestand", "Disponibilité", "Disponibilità", "Disponibilidad",
              "Disponibilidade", "Beschikbaarheid", "Voorraad", "Dostępność", "Dostupnost", "Lagerstatus", "Lagerantal",
              "Наличие"),
    "brand": ("Hersteller", "Marke", "Marque", "Fabricant", "Marca", "Fabricante", "Fabricante / Marca", "Merk",
              "Fabrikant", "Producent", "Marka", "Výrobce", "Značka", "Tillverkare", "Varumärke", "Mærke",
              "Производитель", "Бренд"),
    "mpn": ("Herstellernummer", "Hersteller-Artikelnummer", "Référence fabricant", "Codice produttore",
            "Артикул"),
    "gtin": ("EAN / GTIN / código barras", "Codice a barre", "Código de barras", "Code-barres", "Штрихкод"),
    "image_url": ("Bild", "Bild-URL", "Bildlink", "URL image", "Lien image", "URLimagen_1", "Imagen", "Immagine",
                  "Imagem", "Afbeelding", "Zdjęcie", "Obrázek", "Billedurl", "Изображение"),
    "description": ("Beschreibung", "Produktbeschreibung", "Descriptif", "Descrizione", "Descripción",
                    "Descripción del producto", "Descrição", "Omschrijving", "Opis", "Popis", "Beskrivelse",
                    "Beskrivning", "Описание"),
    "category": ("Kategorie", "Warengruppe", "Catégorie", "Categoria", "Categoría",
                 "Categoría del producto en la tienda", "Categorie", "Kategoria", "Kategorinavn", "Kategori",
                 "Категория"),
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
