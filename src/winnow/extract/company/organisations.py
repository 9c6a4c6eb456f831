"""Which organisation of a page's structured data the page is about: not its reviewers, sponsors or web agency."""

from __future__ import annotations

from winnow.extract.parsed_page import ParsedPage
from winnow.extract.structured.main_item import name_overlap
from winnow.extract.structured.schema_graph import as_list
from winnow.extract.structured.schema_items import Item
from winnow.extract.structured.schema_price import text_of

# schema.org Organization and LocalBusiness with the subtypes pages use.
_NAMES = """
    organization corporation localbusiness onlinebusiness onlinestore ngo newsmediaorganization educationalorganization
    governmentorganization medicalorganization performinggroup sportsorganization sportsteam airline consortium
    fundingscheme librarysystem project workersunion researchorganization collegeoruniversity school highschool
    preschool elementaryschool middleschool animalshelter archiveorganization automotivebusiness autobodyshop autodealer
    autopartsstore autorental autorepair autowash gasstation motorcycledealer motorcyclerepair childcare dentist
    drycleaningorlaundry emergencyservice employmentagency entertainmentbusiness artgallery casino comedyclub
    movietheater nightclub adultentertainment amusementpark financialservice accountingservice automatedteller
    bankorcreditunion insuranceagency foodestablishment bakery barorpub brewery cafeorcoffeeshop distillery
    fastfoodrestaurant icecreamshop restaurant winery governmentoffice healthandbeautybusiness beautysalon dayspa
    hairsalon healthclub nailsalon tattooparlor homeandconstructionbusiness electrician generalcontractor hvacbusiness
    housepainter locksmith movingcompany plumber roofingcontractor internetcafe legalservice attorney notary library
    lodgingbusiness bedandbreakfast campground hostel hotel motel resort skiresort vacationrental medicalbusiness
    medicalclinic hospital optician pharmacy physician diagnosticlab veterinarycare professionalservice radiostation
    realestateagent recyclingcenter selfstorage shoppingcenter sportsactivitylocation bowlingalley exercisegym
    golfcourse publicswimmingpool sportsclub stadiumorarena tenniscomplex store bikestore bookstore clothingstore
    computerstore conveniencestore departmentstore electronicsstore florist furniturestore gardenstore grocerystore
    hardwarestore hobbyshop homegoodsstore jewelrystore liquorstore mensclothingstore mobilephonestore
    movierentalstore musicstore officeequipmentstore outletstore pawnshop petstore shoestore sportinggoodsstore
    tireshop toystore wholesalestore televisionstation touristinformationcenter travelagency marketingagency
    touroperator musicgroup theatergroup dancegroup museum
"""
ORGANISATIONS = frozenset(_NAMES.split())
# Properties on which an organisation hangs that is not the page's own.
_OTHERS_TEXT = """
    author creator reviewedBy itemReviewed sponsor funder memberOf member affiliation alumniOf worksFor brand
    manufacturer seller offeredBy parentOrganization subOrganization hiringOrganization performer contributor provider
    copyrightHolder sourceOrganization accountablePerson organizer customer client isPartOf knowsAbout employee
    founder department
"""
_OTHERS = frozenset(_OTHERS_TEXT.split())
_OWNERS = frozenset(["publisher", "mainEntity", "about", "mainEntityOfPage"])


def own_organisation(parsed: ParsedPage) -> Item | None:
    """None when there is none, or when several could be it and nothing tells them apart."""
    scored = [(_score(item, parsed), item) for item in parsed.schema.of(ORGANISATIONS) if _name(item)]
    scored = [(score, item) for score, item in scored if score > 0]
    if not scored:
        return None
    best = max(score for score, _ in scored)
    winners = [item for score, item in scored if score == best]
    if len({_name(item).lower() for item in winners}) > 1:
        return None
    return max(winners, key=lambda item: len(item.node))


def organisations_named_like(item: Item, parsed: ParsedPage) -> list[Item]:
    """Other descriptions of the same organisation: plugins and themes both write one."""
    same = [other for other in parsed.schema.of(ORGANISATIONS) if _name(other).lower() == _name(item).lower()]
    return sorted(same, key=lambda other: -len(other.node))


def _name(item: Item) -> str:
    return text_of(item.node.get("name")) or text_of(item.node.get("legalName"))


def _score(item: Item, parsed: ParsedPage) -> int:
    if item.key in _OTHERS or item.listed:
        return 0
    node, name = item.node, _name(item)
    score = 1 + 4 * item.main + 1 * (item.key in _OWNERS)
    score += 3 * any(name_overlap(name, heading)[0] >= 1 for heading in [*parsed.headings, parsed.title])
    score += 2 * any(parsed.is_own(text_of(url)) for key in ("url", "@id") for url in as_list(node.get(key)))
    score += 2 * any(node.get(key) for key in ("address", "telephone", "email", "contactPoint", "location"))
    return score + ("localbusiness" not in item.types and "organization" not in item.types)
