"""Catalogues that are not Unicode: the page is told by the language that makes sense of all letters."""

from __future__ import annotations

import pytest

from tests.feeds.read.reading import read
from winnow.vocabulary.encodings.latin_pages import page_by_language

WORDS = {
    "Lithuanian": ("cp1257", "Žalia kėdė, šviesus ąžuolas, ėriena įdaryta, ūkis, kilimų dėžė, tęsinys"),
    "Latvian": ("cp1257", "Ļoti labs krēsls, zaļā šķīvis, ērta gultas veļa, ģimenes ķēde, žakete"),
    "Estonian": ("cp1257", "Õrn šikk vöö, küünal, jäätis, žürii, žakett, šokolaad, dušš, garaaž"),
    "Polish": ("cp1250", "Żółta łódź, świeca, krzesło dębowe, mąka, łóżko, stół, ręcznik, pościel"),
    "Polish as the web had it": ("iso8859-2", "Żółta łódź, świeca, krzesło dębowe, mąka, łóżko, stół, ręcznik"),
    "Polish on a Baltic machine": ("cp1257", "Żółta łódź, świeca, krzesło dębowe, mąka, łóżko, stół, ręcznik"),
    "Czech": ("cp1250", "Žluťoučký kůň, příliš malý stůl, červená lžíce, dětský hrníček, světlo"),
    "Czech as the web had it": ("iso8859-2", "Žluťoučký kůň, příliš malý stůl, červená lžíce, světlo, šťastný"),
    "Hungarian": ("cp1250", "Őszi gyűjtemény, kőműves fűrész, szőnyeg, női cipő, hűtő, tölgyfa szék, ágy"),
    "Romanian": ("cp1250", "Pălărie şi ţesătură, fâşie îngustă, lampă, cuţit, încălţăminte, roşu"),
    "Croatian": ("cp1250", "Žuta čaša, šećer, đumbir, kuća, ćilim, čarape, ključ, svijeća"),
    "Turkish": ("cp1254", "Işıklı ağaç, şişe, çiçek, yağmurluk, gümüş iğne, kırmızı ayakkabı, yeşil"),
    "Icelandic": ("cp1252", "Þorskur í ofni, áður, föt, góð ýsa, skór, þvottavél, ísskápur, sæng"),
    "Danish": ("cp1252", "Blåbær på fløde, køb, æble, størrelse, håndklæde, tæppe, støvsuger"),
    "Portuguese": ("cp1252", "Pão de ló, coração à mão, três botões, lençóis, maçã, relógio, câmera"),
    "Russian for DOS": ("cp866", "Лампа настольная, стул дубовый, кровать, ковёр мягкий"),
    "Hebrew": ("cp1255", "מנורה כיסא מיטה שטיח"),
}


@pytest.mark.parametrize("language", WORDS)
def test_f070_the_page_is_told_by_the_letters_of_a_language(language: str) -> None:
    page, words = WORDS[language]
    text = "sku\tname\tprice\turl\n" + "".join(f"{n}\t{words}\t9.99\thttps://a.example/{n}\n" for n in range(1, 4))
    assert {row.name for row in read(text.encode(page)).rows} == {words}


@pytest.mark.parametrize(
    "words",
    [
        "Fjällräven Kånken, Citroën, Crème brûlée, Señorita, Smørrebrød, Größe, Lancôme, 5 m² ½ ³ ® ™ – “x”",
        "Škoda Zubehör für Größe, Kühlschrank, Möbel, süß, heiß, Straße",
        "Muñeca pequeña, niño, año, baño, Citroën, Lancôme, jardín, botón, máquina",
    ],
)
def test_western_names_from_everywhere_are_no_other_page(words: str) -> None:
    assert page_by_language(words.encode("cp1252")) in (None, "cp1252")


@pytest.mark.parametrize("text", ["Café", "5 m²", "ø 20 cm", "Ærø", "«Été»"])
def test_a_letter_or_two_tell_no_page(text: str) -> None:
    assert page_by_language(text.encode("cp1252")) in (None, "cp1252")


@pytest.mark.parametrize(
    ("page", "header", "code"),
    [
        ("cp1250", "Kód;Název;Cena;URL;Měna", "CZK"),
        ("cp1250", "Kód;Naziv;Cijena;URL;Valuta;Proizvođač", "EUR"),
        ("cp1257", "Kods;Nosaukums;Cena;Saite;Valūta", "EUR"),
        ("cp1254", "Ürün Kodu;Ürün Adı;Fiyat;Ürün Linki;Para Birimi", "TRY"),
        ("cp1252", "Référence;Désignation;Prix;Lien;Devise", "EUR"),
    ],
)
def test_f080_a_few_letters_of_the_header_tell_the_page(page: str, header: str, code: str) -> None:
    cells = ["1", "Cup", "9,50", "https://a.example/1", code] + ["Acme"] * (header.count(";") - 4)
    [row] = read(f"{header}\n{';'.join(cells)}\n".encode(page)).rows
    assert (row.sku, row.name, row.price, row.currency) == ("1", "Cup", 950, code)
    assert row.brand == ("Acme" if len(cells) > 5 else None)


def test_one_letter_at_the_beginning_does_not_settle_the_page_of_a_whole_file() -> None:
    words = WORDS["Polish"][1]
    names = ["Café", *(f"Lamp {n}" for n in range(5_000)), *[words] * 2_000]
    lines = [f"{n}\t{name}\t9.99\thttps://a.example/{n}\n" for n, name in enumerate(names)]
    got = read(("sku\tname\tprice\turl\n" + "".join(lines)).encode("cp1250"))
    assert [row.name for row in got.rows] == names
