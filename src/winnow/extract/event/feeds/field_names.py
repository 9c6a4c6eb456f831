"""What the fields of an event are called in feeds and in JSON, without case, underscores and makers' prefixes."""

from __future__ import annotations

import re

START = (
    "startdatetime", "startdate", "dtstart", "eventstartdate", "eventstart", "startsat", "startat", "starttimeutc", "starttime", "eventdate",
    "datestart", "begindate", "begindatum", "startdatum", "datetimestart", "datebegin", "begin", "start", "localstart", "firstdate", "eventdatetime",
    "performancedate", "showdate", "startdatelocal", "starttimelocal", "startdatetimelocal", "dateevent", "datumvan", "vanaf", "startzeit", "beginn",
)  # fmt: skip
# The day of an event only where other fields say that it is one: anything published has a date.
MAYBE_START = ("date", "datum", "when", "datetime", "day", "fecha", "data")
END = (
    "enddatetime", "enddate", "dtend", "eventenddate", "eventend", "endsat", "endat", "endtimeutc", "endtime", "dateend", "einddatum", "finishdate",
    "datetimeend", "dateto", "localend", "end", "lastdate", "enddatelocal", "endtimelocal", "enddatetimelocal", "tot", "datumtot", "ende",
)  # fmt: skip
TITLE = ("title", "name", "eventname", "eventtitle", "titel", "naam", "headline", "summary", "label", "subject")
DESCRIPTION = (
    "description", "shortdescription", "excerpt", "teaser", "intro", "body", "content", "longdescription", "omschrijving", "beschreibung", "text",
    "descriptiontext", "info", "subtitle", "details", "contenthtml", "contenttext",
)  # fmt: skip
URL = (
    "url",
    "link",
    "permalink",
    "fullurl",
    "htmllink",
    "href",
    "eventurl",
    "detailurl",
    "localisturl",
    "weburl",
    "website",
    "path",
    "uri",
    "canonicalurl",
)
TICKET_URL = (
    "ticketurl",
    "ticketslink",
    "ticketlink",
    "ticketsurl",
    "buyurl",
    "bookingurl",
    "bestelurl",
    "bookinglink",
    "tickets",
)
IMAGE = (
    "image",
    "imageurl",
    "thumbnail",
    "cover",
    "coverimage",
    "picture",
    "photo",
    "photourl",
    "images",
    "asseturl",
    "mainimage",
    "poster",
    "afbeelding",
    "featuredimage",
    "logo",
    "media",
)
VENUE = (
    "venuename",
    "venue",
    "locationname",
    "placename",
    "location",
    "place",
    "locatie",
    "zaal",
    "room",
    "hall",
    "stage",
    "ort",
    "veranstaltungsort",
    "lieu",
    "where",
)
ORGANISER = ("organizer", "organiser", "organizers", "organisator", "host", "promoter", "organizername", "veranstalter")
PERFORMERS = ("performers", "performer", "artists", "attractions", "lineup", "acts", "artist")
CATEGORY = (
    "categories",
    "category",
    "eventtype",
    "genre",
    "genres",
    "classifications",
    "tags",
    "type",
    "categorie",
    "kategorie",
    "rubriek",
)
STATUS = ("eventstatus", "status")
PRICE = (
    "priceranges",
    "offers",
    "cost",
    "costdetails",
    "price",
    "prijs",
    "ticketprice",
    "admission",
    "preis",
    "entryfee",
)
UID = ("icaluid", "uid", "guid", "globalid")
ZONE = ("timezone", "timezoneid", "tz", "tzid", "eventtimezone", "timezonename", "ianatimezone")
LATITUDE = ("latitude", "lat", "geolat", "maplat", "markerlat")
LONGITUDE = ("longitude", "lng", "lon", "long", "geolng", "geolon", "geolong", "maplng", "markerlng")
RECURRENCE = ("rrule", "recurrence", "repeatrule")
SOLD_OUT = ("soldout", "issoldout", "uitverkocht", "ausverkauft")
DOORS = ("doors", "doorsopen", "doortime", "doorsat", "einlass", "zaalopen", "doorsopenat")
ALL_DAY = ("allday", "isallday", "alldayevent")
# Properties of things with a name and a beginning that are no events.
OTHERS = frozenset(
    [
        "sku",
        "employmenttype",
        "salary",
        "campaign",
        "variants",
        "gtin",
        "jobtitle",
        "applydeadline",
        "validthrough",
        "abtest",
        "experimentid",
        "featureflags",
        "currentprice",
    ]
)
PUBLISHED = frozenset(
    [
        "dategmt",
        "modified",
        "modifiedgmt",
        "publishedat",
        "datepublished",
        "author",
        "pubdate",
        "byline",
        "articlebody",
        "commentcount",
        "readingtime",
    ]
)
# Beside one of these `date` is when the object was published: the answers of WordPress.
STAMPED = frozenset(["dategmt", "modifiedgmt"])
_PREFIX = re.compile(r"^(?:field|mec|ev|xcal|tribe|wp|acf|em|evcal|mc|gd|cal|event_?on|s_?node)_+", re.IGNORECASE)


def plain_name(key: str) -> str:
    """`field_start_date`, `startDate` and `mec_start-date` are one."""
    return re.sub(r"[^a-z0-9]", "", _PREFIX.sub("", key.lower().lstrip("_@")))
