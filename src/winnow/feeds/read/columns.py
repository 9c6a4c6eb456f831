"""Which column of which network means what (F-076 … F-080, F-134). Data only.

A role is what a value is for; each has its column names in order of preference. Names are compared without
case; a second look ignores spaces, underscores and other signs too, so `Sale Price`, `sale_price` and
`SALEPRICE` are one. The names of the feed's own network come first, then those of the list, then everybody
else's: a file in another network's layout is still read.
"""

from __future__ import annotations

from collections.abc import Collection

from winnow.feeds.read.columns_abroad import ELSEWHERE, Priorities

VERSION = 5  # F-134: raised when a priority changes, so that a run can say by which table it was mapped

ROLES = (
    "item_id", "sku", "name", "url", "tracking_url", "sale_price", "price", "list_price", "currency", "stock",
    "gtin", "mpn", "brand", "image_url", "category", "description", "condition", "sale_dates", "sale_begins",
    "sale_ends",
)  # fmt: skip

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
    "category": ("Category", "Categories", "ProductCategory", "Product Type"),  # the last is `simple` in some systems
    "currency": ("Currency", "CurrencyCode"),
    "stock": ("StockAvailability", "Stock Availability", "Availability", "InStock"),
    "mpn": ("MPN", "ManufacturerPartNumber", "Manufacturer Part Number", "PartNumber", "Part Number"),
    "condition": ("Condition", "Product Condition"),
}

NETWORKS: dict[str, dict[str, tuple[str, ...]]] = {
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
        "price": ("display_price",),  # the base price is that of a litre or a metre
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

# Plain words that mean this in their own network's files; elsewhere they come after all others.
OWN_WORDS = frozenset(["Status"])

# Awin's XML shows itself by names that nobody else has; in it a plain `id` is the network's own.
AWIN_XML = "AWIN_XML"
_AWIN_XML_NAMES = frozenset(["text/name", "uri/awTrack"])
_AWIN_XML: Priorities = NETWORKS["AWIN"] | {"item_id": ("id",), "sku": ("pId",)}

# Only where a header has no regular price at all: the retail price is what is paid when there is no sale
# (AvantLink and Rakuten have nothing but these two).
PRICE_OF_LAST_RESORT = ("RetailPrice", "Retail Price", "price/retail")

# Beside a price that is only called so, these are what is paid; and what these say is paid only if nothing else is.
PRICE_PAID = ("Our Price", "Selling Price", "Final Price", "Sell Price", "Sales Price", "Online Price", "Web Price",
              "New Price", "Price New", "Offer Price", "Buy Now Price", "Buy It Now Price")  # fmt: skip
PRICE_LAST = ("List Price", "Regular Price", "Standard Price")

# Generic words, after all others: shop systems' exports, price comparisons' own layouts, smaller networks.
ANYBODY: Priorities = {
    "item_id": ("TDProductId",),
    "sku": ("Variant SKU", "Seller SKU", "Item SKU", "Product Code SKU", "SKU Code", "Custom Label SKU",
            "Custom Label", "Item Number", "ItemNumber", "Item No", "Item Code", "Product Code", "Product Number",
            "Merchant Product Number", "Merchant Product ID", "Product ID", "Offer ID", "Article Number",
            "ArtNumber", "Article No", "Article ID", "Reference", "Stock Code", "Unique ID", "Identifier", "AID",
            "ID", "ID Product", "Code", "SKU ID", "Shop SKU", "Internal ID", "Internal Code", "External ID",
            "Stock Number", "Catalog Number", "Catalogue Number"),
    "url": ("Deeplink", "Deep Link", "Deeplink URL", "Deeplink1", "Landing Page", "Landing Page URL", "Product Link",
            "Product Page URL", "Product Page", "Product Deeplink", "URL Product", "Item URL", "Item Link",
            "Offer URL", "Article URL", "Page URL", "Web URL", "Final URL", "Store Page URL", "Target URL",
            "Direct URL", "Direct Link", "Destination URL", "Canonical URL", "Canonical Link", "Permalink",
            "External URL", "Link URL", "Zanox Product Link", "Affiliate URL", "Affiliate Link", "Tracking URL",
            "Promotion URL", "Click URL", "Click Out URL", "View Item URL", "Detail URL", "Product Detail URL",
            "Detail Page URL", "Product Page Link", "Landing URL", "Buy Now URL", "Full URL", "Absolute URL",
            "Product Href", "Href", "Clickthrough URL"),
    "tracking_url": ("Tracking URL", "Tracking Link", "Affiliate URL", "Affiliate Link", "Click URL"),
    "name": ("Item Name", "Item Title", "Product Title", "Name Product", "Product", "Designation", "Model",
             "Display Name", "Full Name", "Long Name", "Listing Title"),
    "sale_price": ("Special Price", "Discounted Price", "Discount Price", "Promo Price", "Price Sale",
                   "Promotional Price", "Price Current", "Now Price", "Price Now", "Now", "Deal Price", "Reduced Price",
                   "Clearance Price", "Campaign Price", "Price Special", "Price Promo", "Price Discounted",
                   "Price With Discount", "Price After Discount", "Action Price"),
    "price": ("Product Price", "Item Price", "Price Product", "Price New", "New Price", "Standard Price",
              "Regular Price", "Variant Price", "Final Price", "Selling Price", "Our Price", "Actual Price",
              "Sell Price", "Sales Price", "Online Price", "Web Price", "Start Price", "Buy It Now Price",
              "Buy Now Price", "Offer Price",
              "price/amount", "price@amount", "price/value", "price@value", "prices/price"),
    "list_price": ("Old Price", "Price Old", "Product Price Old", "Previous Price", "Former Price", "From Price",
                   "Was Price", "Price Before", "Price Before Discount", "Compare At Price",
                   "Variant Compare At Price", "RRP", "Recommended Retail Price", "Suggested Retail Price",
                   "Price Retail", "Price No Rebate", "Strike Price", "Regular Price",
                   "Normal Price", "Initial Price", "Origin Price", "Was", "Price Was", "Before Price", "Full Price",
                   "Strikethrough Price", "Market Price", "Suggested Price", "Recommended Price"),
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
              "In Stock Amount", "Stock Amount", "Is Available", "Stock Available", "Available Stock", "In Stock Flag",
              "Available For Sale", "Inventory Level", "Inventory Quantity", "Inventory Qty", "Quantity In Stock",
              "Units In Stock", "Stock Count", "Stock On Hand", "Total Stock", "Free Stock", "Number Available"),
    "image_url": ("Picture", "Picture URL", "Picture Link", "Image Src", "ImgURL", "imgs/main", "images/image",
                  "images/image/location", "Image 1", "Image URL 1", "Image 1 URL", "Main Image", "Image Large",
                  "Image Large URL", "Large Image URL", "Big Image", "Image Big URL", "Product Image",
                  "Image Product", "Images", "Image URLs", "Image Location", "Photo", "Small Image", "Base Image",
                  "Main Image URL", "Product Image File 1", "Photo URL", "Item Photo URL", "Graphic URL", "Img",
                  "Image Main", "Primary Image URL", "Featured Image", "Default Image", "Pictures", "Photos",
                  "Gallery URL", "Full Image", "Cover Image", "Hero Image", "Media URL"),
    "description": ("Body HTML", "Description Long", "Product Long Description", "Product Descriptions Long",
                    "Short Description", "Description Short", "Product Short Description", "Desc"),
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


def layout_of(names: Collection[str], network: str) -> str:
    """The layout that names show by themselves, else that of the feed's network."""
    return AWIN_XML if _AWIN_XML_NAMES.issubset(names) else network


def priorities(network: str, role: str) -> list[str]:
    """Column names of a role, best first, each once."""
    tables = [_AWIN_XML if network == AWIN_XML else NETWORKS.get(network, {}), LISTED]
    tables += [table for name, table in NETWORKS.items() if name != network] + [ANYBODY, ELSEWHERE]
    names = dict.fromkeys(name for table in tables for name in table.get(role, ()))
    return sorted(names, key=lambda name: name in OWN_WORDS and name not in tables[0].get(role, ()))
