"""Websites of small firms, each written by hand in a way of its own: no structured data, the name in a logo, a title or
the copyright line, contacts in the footer or the imprint, and other people's names beside."""

from __future__ import annotations

from tests.quality.kind_cases import KindCase, document


def small_company_cases() -> list[KindCase]:
    return [
        company_case("a long name in title and logo, its beginning is the domain", "https://carlendowment.org/about/giving", "en", """
            <title>Giving - Carl Endowment for International Trade</title>""", """
            <header><a href="/" class="logo"><img src="/l.png" alt="Carl Endowment for International Trade"></a></header><h1>Ways to give</h1>
            <p>Carl Endowment</p><p>The Carl Endowment depends on its friends.</p>
            <footer><p>1779 Maple Avenue NW, Washington, DC 20036</p><p>Phone: 202 483 7600 Fax: 202 483 1840</p></footer>""",
            company_name="Carl Endowment for International Trade", contact_phone="+12024837600", city="Washington"),
        company_case("a domain in Latin letters, a name in Cyrillic ones", "https://www.muzsad.ru/", "ru", """
            <title>Музыкальные инструменты в Перми</title><meta property="og:site_name" content="МузСад">""", """
            <h1>Гитары и клавишные</h1><p>Музыкальные инструменты для дома и сцены.</p>""",
            company_name="МузСад"),
        company_case("the name before the sign of copyright", "https://galerialipska.pl/contact", "pl", """
            <title>Pierścionki, biżuteria, hurtownia</title>""", """
            <h2>Kontakt</h2><form>Temat</form><p>Galeria Lipska 2005-2015 © Wszelkie prawa zastrzeżone.</p>""",
            company_name="Galeria Lipska"),
        company_case("a site that is called like its address", "https://www.nahodto.sk/", "sk", """
            <title>Športová obuv a oblečenie - Nahodto.sk</title>""", """
            <a class="logo" href="/"><img src="/l.png" alt="Športová obuv a oblečenie - Nahodto.sk"></a><h1>Novinky</h1>""",
            company_name="Nahodto.sk"),
        company_case("a firm with its form in the domain, the town in the title", "http://www.stonebrookhomesinc.com/contact-us/", "en", """
            <title>Contact Us | Stonebrook Homes Huntsville, AL | Custom Home Builders</title>""", """
            <h1>Contact Us</h1><p>Stonebrook Homes<br>105 Von Haus Drive<br>Huntsville, AL 35806</p><p>Phone: (256) 759-7925</p>""",
            company_name="Stonebrook Homes", contact_phone="+12567597925", city="Huntsville"),
        company_case("a form is no name, nor is the parent", "http://www.chiccolo.co.uk/contacts.html", "en", """
            <title>Contact form</title>""", """
            <div id="logo"><img src="/x.png" alt="Contact form"></div><p>Chiccolo UK part of ARTANA S.P.A.</p><p>Ask us anything.</p>""",
            company_name="Chiccolo"),
        company_case("the address at the end of a long title", "http://www.petsathome-inn.com/", "en", """
            <title>Dog, Cat &amp; Other Pet Friendly Hotels at Petsathome-Inn.com</title>""", """
            <h1>Travel with your pet</h1><p>Petsathome-Inn Passport: get it today.</p><p>Petsathome-Inn Passport holders save.</p>""",
            company_name="Petsathome-Inn.com"),
        company_case("a lawyer, what the house is before whose it is, and a number for emergencies", "https://www.bulkewitz.de/", "de", """
            <title>Kanzlei Bulkewitz | Strafrecht in Charlottenburg</title>""", """
            <h1>Kanzlei<br>Bulkewitz</h1><p>Notfall <a href="tel:+4916092336066">0160 92 33 60 66</a></p><p>Notfall-Hotline <a href="tel:+4916092336066">jetzt anrufen</a></p>
            <p>Telefon <a href="tel:+493028471022">030 / 28 47 10 22</a></p><p>Wundtstr. 40, 14057 Berlin</p><p>E-Mail kanzlei@bulkewitz.de</p>""",
            company_name="Kanzlei Bulkewitz", contact_phone="+493028471022", contact_email="kanzlei@bulkewitz.de", city="Berlin"),
        company_case("two numbers in a row", "https://www.gip-servizi.it/contatti.html", "it", """
            <title>GIP Servizi</title>""", """
            <h1>GIP Servizi srl</h1><p>Tel: +39 02 48714236 - 0323 569627</p><p>Email: info@gip-servizi.it</p>""",
            company_name=..., contact_phone="+390248714236", contact_email="info@gip-servizi.it"),
        company_case("a floor between street and town", "https://www.cisaro.com/contact-us/", "en", """
            <title>Contact Us | Cisaro</title><meta property="og:site_name" content="Cisaro">""", """
            <h1>Contact Us</h1><p>130 E Randall St.<br>7th Floor<br>Chicago, IL 60601, USA</p><p>1-866-639-5087 US &amp; Canada</p>""",
            company_name="Cisaro", contact_phone="+18666395087", city="Chicago", street="130 E Randall St., 7th Floor"),
        company_case("everything in one line", "https://www.bulkewitz.de/impressum", "de", """
            <title>Impressum | Kanzlei Bulkewitz</title>""", """
            <h1>Impressum</h1><p>Rechtsanwalt Jörn Bulkewitz</p><p>Wundtstraße 40 14057 Berlin Telefon: +49 (0)30 / 28 47 10 22 Telefax: +49 (0)30 / 28 47 10 84</p>""",
            company_name="Kanzlei Bulkewitz", contact_phone="+493028471022", city="Berlin", street="Wundtstraße 40"),
        company_case("home page of an official site, telephone behind the town", "https://www.ifalgroup.it/contatti", "it", """
            <title>Sito ufficiale di IFAL Group</title>""", """
            <p>Copyright © IFAL Group. Tutti i diritti riservati.</p><p>Via 5 Maggio, 81, 16147 Genova T (+39) 010 37 47 811</p>""",
            company_name="IFAL Group", contact_phone="+390103747811", city="Genova"),
        company_case("bakery, everything in the footer", "https://www.baeckerei-lindner.de/", "de", """
            <title>Startseite - Bäckerei Lindner</title>""", """
            <header><a href="/"><img src="/img/kopf.png" alt="Logo Bäckerei Lindner"></a><nav>Brot Kuchen Filialen</nav></header>
            <main><h1>Frisch aus dem Steinofen</h1><p>Seit drei Generationen backen wir in Freising mit Sauerteig.</p></main>
            <footer><p>Bäckerei Lindner</p><p>Obere Hauptstraße 12<br>85354 Freising</p>
            <p>Telefon: 08161 / 49 28 10<br>Telefax: 08161 / 49 28 11<br><a href="mailto:brot@baeckerei-lindner.de">
            brot@baeckerei-lindner.de</a></p><p>Webdesign: <a href="https://www.medienhof-nord.de">Medienhof Nord</a></p></footer>""",
            company_name="Bäckerei Lindner", contact_email="brot@baeckerei-lindner.de", contact_phone="+498161492810",
            city="Freising"),
        company_case("plumber, name in the copyright line only", "https://www.wasserhahn-klempner.com/", "en-GB", """
            <title>24h emergency plumber in Bristol</title>""", """
            <div id="top"><span>Call us now</span> <a href="tel:+441179460123">0117 946 0123</a></div>
            <h1>Burst pipe? We are there in an hour</h1><p>No call-out charge. Gas Safe registered.</p>
            <div class="bottom">&copy; 2024 Harbourside Plumbing &amp; Heating Ltd. All rights reserved.<br>
            Unit 4, Feeder Road, Bristol BS2 0TQ &middot; <a href="mailto:jobs@harboursideplumbing.co.uk">Work with us</a>
            &middot; <a href="mailto:office@harboursideplumbing.co.uk">office@harboursideplumbing.co.uk</a></div>""",
            company_name="Harbourside Plumbing & Heating Ltd", contact_email="office@harboursideplumbing.co.uk",
            contact_phone="+441179460123", city="Bristol"),
        company_case("imprint page of a craftsman", "https://schreinerei-ott.example.de/impressum.html".replace("example.de", "net"), "de", """
            <title>Impressum</title>""", """
            <div class="nav"><a href="/">Start</a> <a href="/moebel">Möbel</a></div><h2>Impressum</h2>
            <p>Angaben gemäß § 5 DDG</p><p>Schreinerei Ott<br>Inhaber: Josef Ott<br>Talweg 7<br>87435 Kempten</p>
            <p>Tel. 0831 / 220 19 00<br>Mobil 0171 / 555 12 34<br>E-Mail: werkstatt (at) schreinerei-ott.net</p>
            <p>USt-IdNr. DE 812 345 678</p><p>Zuständige Kammer: Handwerkskammer für Schwaben, Siebentischstr. 52-58,
            86161 Augsburg, Tel. 0821 3259-0</p>""",
            company_name="Schreinerei Ott", contact_email="werkstatt@schreinerei-ott.net", contact_phone="+498312201900",
            city="Kempten"),
        company_case("dentist with a long title", "https://www.zahnaerzte-am-rosenpark.de/", "de", """
            <title>Zahnarzt Kassel | Zahnärzte am Rosenpark – Ihre Praxis in Kassel</title>
            <meta name="description" content="Prophylaxe, Implantate und mehr.">""", """
            <header><div class="logo"><a href="/">Zahnärzte am Rosenpark</a></div></header>
            <h1>Herzlich willkommen</h1><p>Dr. Anna Weiß und Dr. Tom Berg freuen sich auf Sie.</p>
            <section id="kontakt"><h2>So erreichen Sie uns</h2><p>Rosenstraße 3, 34119 Kassel</p><p>Fon 0561 / 77 66 55</p>
            <p>Termin: <a href="mailto:praxis@zahnaerzte-am-rosenpark.de">per E-Mail</a></p></section>
            <footer><a href="/datenschutz">Datenschutz</a></footer>""",
            company_name="Zahnärzte am Rosenpark", contact_email="praxis@zahnaerzte-am-rosenpark.de",
            contact_phone="+49561776655", city="Kassel"),
        company_case("restaurant, Italian", "https://www.trattoriadelporto.it/contatti/", "it", """
            <title>Contatti » Trattoria del Porto</title>""", """
            <header><img class="logo-img" src="/logo.svg" alt="Trattoria del Porto"></header><h1>Contatti</h1>
            <p>Ci trovate in Via Garibaldi 21, 18100 Imperia (IM)</p><p>Prenotazioni: <a href="tel:0183764532">0183 764532</a></p>
            <p>info@trattoriadelporto.it</p><p>Sito realizzato da <a href="https://www.agenziaweb.it">Agenzia Web</a> -
            supporto@agenziaweb.it</p><p>© Trattoria del Porto di Bruno Ferri - P.IVA 01234567890</p>""",
            company_name="Trattoria del Porto", contact_email="info@trattoriadelporto.it", contact_phone="+390183764532",
            city="Imperia"),
        company_case("architects, French, mentions légales", "https://atelier-morel.fr/mentions-legales", "fr", """
            <title>Mentions légales – Atelier Morel</title>""", """
            <h1>Mentions légales</h1><h2>Éditeur du site</h2><p>Atelier Morel SARL, au capital de 10 000 €</p>
            <p>Siège social : 14 rue des Tanneurs, 59000 Lille</p><p>Téléphone : 03 20 12 34 56</p>
            <p>Courriel : contact@atelier-morel.fr</p><h2>Hébergeur</h2><p>OVH, 2 rue Kellermann, 59100 Roubaix, Tél. 09 72 10 10 07</p>""",
            company_name="Atelier Morel", contact_email="contact@atelier-morel.fr", contact_phone="+33320123456", city="Lille"),
        company_case("accountants, Dutch, contact in the header", "https://www.dejongadministratie.nl/", "nl", """
            <title>De Jong Administratie | Uw boekhouder in Zwolle</title>""", """
            <div class="topbar"><a href="tel:0384201122">038 - 420 11 22</a> | <a href="mailto:info@dejongadministratie.nl">
            info@dejongadministratie.nl</a></div><h1>Grip op uw cijfers</h1><p>Wij helpen zzp'ers en mkb.</p>
            <footer><div>De Jong Administratie</div><div>Thorbeckegracht 5</div><div>8011 VN Zwolle</div><div>KvK 05061234</div></footer>""",
            company_name="De Jong Administratie", contact_email="info@dejongadministratie.nl", contact_phone="+31384201122",
            city="Zwolle"),
        company_case("one-page start-up, name in title and logo text", "https://getmoonlet.io/", "en", """
            <title>Moonlet: shared calendars that stay private</title>""", """
            <header><a class="navbar-brand" href="#">Moonlet</a></header><h1>Plan together. Keep it yours.</h1>
            <p>Trusted by Brightwave and Northfield.</p><footer>Made with care in Tallinn. <a href="mailto:hello@getmoonlet.io">Say hello</a></footer>""",
            company_name="Moonlet", contact_email="hello@getmoonlet.io", contact_phone=None),
        company_case("law firm, Spanish, two offices", "https://www.bufetesanchezruiz.es/", "es", """
            <title>Bufete Sánchez Ruiz - Abogados en Sevilla</title>""", """
            <header><img src="l.png" alt="Bufete Sánchez Ruiz"></header><h1>Abogados de empresa</h1>
            <footer><p>Oficina central: Calle Sierpes 40, 41004 Sevilla. Tel. 954 22 33 44</p>
            <p>Oficina en Cádiz: Plaza Mina 3, 11004 Cádiz. Tel. 956 11 22 33</p><p>despacho@bufetesanchezruiz.es</p></footer>""",
            company_name="Bufete Sánchez Ruiz", contact_email="despacho@bufetesanchezruiz.es", contact_phone=..., city="Sevilla"),
        company_case("garage, US, name in h1 and copyright", "https://www.joesautocarewichita.com/", "en-US", """
            <title>Auto Repair in Wichita, KS</title>""", """
            <h1>Joe's Auto Care</h1><p>Brakes, tires, oil changes.</p><p>Open Mon-Fri 8-6</p>
            <div>3401 E Douglas Ave, Wichita, KS 67218</div><div>Phone: (316) 264-8142</div>
            <div>Copyright © 2011-2024 Joe's Auto Care, LLC</div><div>Powered by ShopSites</div>""",
            company_name="Joe's Auto Care, LLC", contact_email=None, contact_phone="+13162648142", city="Wichita"),
        company_case("club, contact with an image and no e-mail", "https://www.tc-blauweiss-ulm.de/", "de", """
            <title>TC Blau-Weiß Ulm e.V.</title>""", """
            <h1>TC Blau-Weiß Ulm e.V.</h1><p>Platzreservierung nur für Mitglieder. Hauptsponsor: Autohaus Süd GmbH</p>
            <p>Clubhaus: Donautalstraße 18, 89079 Ulm, Telefon 0731 / 4 12 34</p>""",
            company_name="TC Blau-Weiß Ulm e.V.", contact_email=None, contact_phone="+4973141234", city="Ulm"),
        company_case("brewery, Portuguese", "https://cervejariaondaalta.pt/", "pt", """
            <title>Início | Cervejaria Onda Alta</title><meta property="og:site_name" content="Cervejaria Onda Alta">""", """
            <h1>Cerveja com sal na pele</h1><p>Rua do Farol 9, 2655-319 Ericeira</p><p>Telefone: 261 123 456</p>
            <p>geral@cervejariaondaalta.pt</p><p>Loja online por Loja24</p>""",
            company_name="Cervejaria Onda Alta", contact_email="geral@cervejariaondaalta.pt", contact_phone="+351261123456",
            city="Ericeira"),
        company_case("parked domain", "https://www.schoene-firma.de/", "de", "<title>schoene-firma.de steht zum Verkauf</title>", """
            <h1>schoene-firma.de</h1><p>Diese Domain steht zum Verkauf. Kontakt: verkauf@domainparker.com</p>""",
            company_name=None, contact_email=None, contact_phone=None),
        company_case("blog post that names firms", "https://www.gartenfreunde-blog.de/rasenmaeher-test", "de", """
            <title>Rasenmäher im Test – Gartenfreunde Blog</title>""", """
            <article><h1>Rasenmäher im Test</h1><p>Geräte von Mähmax GmbH, Musterweg 1, 12345 Berlin, Tel. 030 123456, und anderen.</p></article>
            <footer>© Gartenfreunde Blog | <a href="/kontakt">Kontakt</a></footer>""",
            company_name="Gartenfreunde Blog", contact_email=None, contact_phone=None),
        company_case("freelancer, name is the domain", "https://www.marta-kowalska.pl/", "pl", """
            <title>Marta Kowalska – fotografia ślubna Kraków</title>""", """
            <h1>Fotografia ślubna</h1><p>Kontakt: tel. 601 234 567, kontakt@marta-kowalska.pl</p><footer>© 2024 Marta Kowalska Fotografia</footer>""",
            company_name=..., contact_email="kontakt@marta-kowalska.pl", contact_phone="+48601234567"),
        company_case("physio, Swiss, name in a heading of the footer", "https://physio-seefeld.ch/", "de-CH", """
            <title>Physiotherapie im Seefeld, Zürich</title>""", """
            <nav>Angebot Team Preise</nav><h1>Wieder in Bewegung</h1><div class="team">Leitung: Sandra Keller</div>
            <div class="fuss"><h3>Physio Seefeld</h3>Dufourstrasse 90<br>8008 Zürich<br>T 044 381 22 33<br>praxis@physio-seefeld.ch</div>""",
            company_name="Physio Seefeld", contact_email="praxis@physio-seefeld.ch", contact_phone="+41443812233", city="Zürich"),
        company_case("hotel, Austrian, imprint inside a page", "https://www.gasthof-zur-linde.at/impressum", "de-AT", """
            <title>Gasthof zur Linde ★★★ Impressum</title>""", """
            <h1>Impressum</h1><p><b>Gasthof zur Linde</b><br>Familie Huber<br>Dorfplatz 2, 5310 Mondsee<br>Österreich</p>
            <p>Telefon +43 6232 22 55<br>Fax +43 6232 22 55-4<br>urlaub@gasthof-zur-linde.at</p>
            <p>Gewerbebehörde: Bezirkshauptmannschaft Vöcklabruck</p><p>Konzept &amp; Design: Alpenweb OG, Salzburg, Tel. +43 662 12 34 56</p>""",
            company_name="Gasthof zur Linde", contact_email="urlaub@gasthof-zur-linde.at", contact_phone="+4362322255", city="Mondsee"),
        company_case("cleaning firm, English, contact form only", "https://sparkle-and-shine.co.uk/contact-us", "en-GB", """
            <title>Contact us | Sparkle &amp; Shine Cleaning Services</title>""", """
            <header><img id="logo" alt="Sparkle &amp; Shine Cleaning Services logo" src="x.png"></header><h1>Contact us</h1>
            <form><input name="email" placeholder="you@example.com"></form><p>Or ring 0161 496 0733 (9am to 5pm)</p>
            <p>12 Deansgate, Manchester M3 2BW</p>""",
            company_name="Sparkle & Shine Cleaning Services", contact_email=None, contact_phone=..., city="Manchester"),
        company_case("driving school, French, social links", "https://www.autoecole-duparc.fr/", "fr", """
            <title>Auto-école du Parc à Rennes : permis B, conduite accompagnée</title>""", """
            <a class="logo" href="/">Auto-école du Parc</a><h1>Passez votre permis à Rennes</h1>
            <div class="coordonnees">18 boulevard de la Liberté 35000 RENNES<br>02 99 30 11 22<br>
            <a href="mailto:autoecole.duparc@orange.fr">autoecole.duparc@orange.fr</a></div>""",
            company_name="Auto-école du Parc", contact_email="autoecole.duparc@orange.fr", contact_phone="+33299301122", city=...),
        company_case("consultancy whose customers stand on the page", "https://www.lindqvist-partners.se/", "sv", """
            <title>Lindqvist &amp; Partners</title>""", """
            <h1>Rådgivning för familjeföretag</h1><p>Våra kunder: Volvo, Ikea AB, Skanska AB</p>
            <footer>Lindqvist &amp; Partners AB | Kungsgatan 12, 111 35 Stockholm | +46 8 545 011 20 | info@lindqvist-partners.se</footer>""",
            company_name="Lindqvist & Partners", contact_email="info@lindqvist-partners.se", contact_phone="+46854501120", city="Stockholm"),
        company_case("personal blog", "https://www.annaskochwelt.de/pasta", "de", """
            <title>Pasta mit Zitrone - Annas Kochwelt</title>""", """
            <h1>Pasta mit Zitrone</h1><p>Zutaten: 400 g Pasta, 2 Zitronen</p><p>Rezept von 2019</p><footer>Annas Kochwelt</footer>""",
            company_name="Annas Kochwelt", contact_email=None, contact_phone=None),
        company_case("builder, a title of keywords", "https://www.harwoodbuilders.com/", "en-US", """
            <title>Harwood Builders, custom home builder, WI, Wisconsin</title>""", """
            <div id="head">Harwood Builders</div><h1>Custom homes since 1984</h1><p>(262) 253-2282</p>
            <p>Our yard is located at 363 Mill Rd, Hudson, WI 54016</p><p>© 2015 Harwood Builders. Powered by Some Cart</p>""",
            company_name="Harwood Builders", contact_phone="+12622532282", street="363 Mill Rd", city="Hudson"),
        company_case("contact form called after the firm", "https://www.pellington.com/contact", "en", """
            <title>Pellington UK Contact Form</title>""", """
            <h1>Write to us</h1><form><input name="q"></form><p>Copyright Glassworks Holding</p>""",
            company_name="Pellington"),
        company_case("name in the text only", "http://www.flintandmason.co.uk/", "en-GB", """
            <title>Bathrooms, wet rooms and tiles</title>""", """
            <h1>Bathrooms made simple</h1><p>At Flint &amp; Mason we have fitted bathrooms for forty years.</p><p>Visit Flint &amp; Mason today.</p>
            <p>Flint &amp; Mason Ltd, Unit 29 Malmesbury Road, Kingsmead Trading Estate, Cheltenham, GL51 9PL</p>""",
            company_name="Flint & Mason", street="Unit 29 Malmesbury Road, Kingsmead Trading Estate", city="Cheltenham"),
        company_case("address with signs between its parts", "http://www.brightcrossing.com/", "en", """
            <title>Welcome to Bright Crossing</title>""", """
            <h1>Signs for schools</h1><p>Contact us</p><p>Bright Crossing Inc. ♦ 2002 Cavendish Drive ♦ Burlington, Ontario L7P 1Y4 ♦ 905-332-1010</p>""",
            company_name="Bright Crossing", street="2002 Cavendish Drive", city="Burlington"),
        company_case("nobody's address but the host's", "https://www.atelier-lorette.fr/mentions-legales", "fr", """
            <title>Mentions légales – Atelier Lorette</title>""", """
            <h1>Mentions légales</h1><p>Atelier Lorette, micro-entreprise. Contact : bonjour@atelier-lorette.fr</p><h2>2. Hébergement</h2><p>Le site est hébergé par :</p>
            <ul><li>Hébergeur : Netlo, Inc.</li><li>Adresse : 44 Montgomery Street, Suite 300, San Francisco, California 94104, USA</li></ul>
            <p>Hébergement du domaine : Nuage SARL – Siège social : 7 place de la Gare, BP 70109, 57200 Sarreguemines – France</p>""",
            company_name="Atelier Lorette", contact_email="bonjour@atelier-lorette.fr", street=None, city=None),
        company_case("label and firm before the street", "https://www.immo-steinbach.ch/", "de-CH", """
            <title>Immo Steinbach AG – Ihr Makler</title>""", """
            <h1>Verkaufen und vermieten</h1><footer>Kontakt: Immo Steinbach AG Leutschenweg 95, 8050 Zürich, <a href="tel:+41443021122">044 302 11 22</a></footer>""",
            company_name="Immo Steinbach AG", contact_phone="+41443021122", street="Leutschenweg 95", city="Zürich"),
        company_case("a service mark and a number alone", "http://www.palmwebworks.com/", "en-US", """
            <title>Site design for small firms</title>""", """
            <h1>We build sites</h1><p>619.534.4000</p><p>Copyright 2013 Palm Web WorksSM</p>""",
            company_name="Palm Web Works", contact_phone="+16195344000"),
    ]  # fmt: skip


def small_job_cases() -> list[KindCase]:
    return [
        job_case("careers page of a firm, German", "https://www.metallbau-kreis.de/karriere/schweisser", "de", """
            <title>Schweißer (m/w/d) – Karriere – Metallbau Kreis GmbH</title>""", """
            <header><img alt="Metallbau Kreis GmbH" class="logo" src="l.png"></header><h1>Schweißer (m/w/d)</h1>
            <ul><li>Arbeitsort: Paderborn</li><li>Vollzeit, unbefristet</li><li>ab sofort</li></ul>
            <h2>Ihre Aufgaben</h2><p>Schweißen von Baugruppen nach Zeichnung.</p><h2>Wir bieten</h2><p>30 Tage Urlaub.</p>
            <p>Bewerbung an bewerbung@metallbau-kreis.de</p>""",
            job_title="Schweißer (m/w/d)", company_name="Metallbau Kreis GmbH", city="Paderborn"),
        job_case("one job on a plain page, English", "https://www.tidewaterlabs.com/jobs/backend-engineer", "en", """
            <title>Backend Engineer | Tidewater Labs</title>""", """
            <nav><a href="/">Tidewater Labs</a></nav><h1>Backend Engineer</h1><p><strong>Location:</strong> Lisbon, Portugal</p>
            <p><strong>Salary:</strong> €55,000 – €70,000 per year</p><h3>What you will do</h3><p>Build our API.</p>
            <a class="apply" href="/apply/12">Apply now</a><footer>© 2025 Tidewater Labs</footer>""",
            job_title="Backend Engineer", company_name="Tidewater Labs", city="Lisbon"),
        job_case("table of facts, French", "https://emploi.example.fr/offre/123".replace("example", "lesjobs"), "fr", """
            <title>Offre d'emploi Infirmier (H/F) à Nantes - Clinique Saint-Roch</title>""", """
            <h1>Infirmier (H/F)</h1><table><tr><th>Entreprise</th><td>Clinique Saint-Roch</td></tr><tr><th>Lieu</th><td>Nantes</td></tr>
            <tr><th>Type de contrat</th><td>CDI</td></tr></table><h2>Missions</h2><p>Soins aux patients.</p><button>Postuler</button>""",
            job_title="Infirmier (H/F)", company_name="Clinique Saint-Roch", city="Nantes"),
        job_case("Dutch vacancy", "https://www.bloemenhof.nl/vacatures/medewerker-kas", "nl", """
            <title>Vacature: Medewerker kas | Bloemenhof BV</title>""", """
            <h1>Medewerker kas</h1><dl><dt>Standplaats</dt><dd>Haarlem</dd><dt>Uren</dt><dd>32-38 uur</dd></dl>
            <h2>Wat ga je doen?</h2><p>Planten verzorgen.</p><a href="#solliciteer">Solliciteer direct</a><footer>© Bloemenhof BV</footer>""",
            job_title="Medewerker kas", company_name="Bloemenhof BV", city="Haarlem"),
        job_case("open to people of many countries", "https://www.tidewaterlabs.com/jobs/frontend", "en", """
            <title>Frontend | Tidewater Labs</title><script type="application/ld+json">{"@context":"https://schema.org","@type":"JobPosting","title":"Frontend Engineer",
            "hiringOrganization":{"@type":"Organization","name":"Tidewater Labs"},"jobLocationType":"TELECOMMUTE","jobLocation":[{"@type":"Place","address":{"@type":"PostalAddress","addressCountry":"AO"}},
            {"@type":"Place","address":{"@type":"PostalAddress","addressCountry":"BE"}},{"@type":"Place","address":{"@type":"PostalAddress","addressCountry":"CZ"}}]}</script>""", """
            <h1>Frontend Engineer</h1>""",
            job_title="Frontend Engineer", company_name="Tidewater Labs", location=None),
        job_case("anywhere", "https://remote.example.org/jobs/7", "en", """
            <title>SRE</title><script type="application/ld+json">{"@context":"https://schema.org","@type":"JobPosting","title":"SRE","hiringOrganization":{"@type":"Organization","name":"Northwind"},
            "jobLocationType":"TELECOMMUTE","jobLocation":{"@type":"Place","address":{"@type":"PostalAddress","addressLocality":"Anywhere","addressRegion":"Anywhere","addressCountry":"Anywhere"}}}</script>""",
            "<h1>SRE</h1>", job_title="SRE", company_name="Northwind", location=None),
        job_case("the employer where the town belongs", "https://remote.example.org/jobs/8", "en", """
            <title>Solidity Engineer</title><script type="application/ld+json">{"@context":"https://schema.org","@type":"JobPosting","title":"Solidity Engineer",
            "hiringOrganization":{"@type":"Organization","name":"Eleven Pte Ltd"},"jobLocation":{"@type":"Place","address":{"@type":"PostalAddress","addressLocality":"Eleven Pte Ltd"}}}</script>""",
            "<h1>Solidity Engineer</h1>", job_title="Solidity Engineer", company_name="Eleven Pte Ltd", location=None),
        job_case("a board in Czech, the buttons beside each other", "https://www.nabidky.cz/rpd/2000317273/", "cs", """
            <title>Vývojář | Node, React – Edhaus s.r.o.</title>""", """
            <h1>Vývojář | Node, React</h1><p>Vývojář | Node, React</p><div><a href="/o">Odpovědět</a> <a href="/u">Uložit nabídku</a></div><p>Hledáme kolegu.</p>""",
            job_title="Vývojář | Node, React", company_name="Edhaus s.r.o.", location=None),
        job_case("a site called after jobs is not the employer", "https://kyujinbox.jp/detail/5", "ja", """
            <title>設備点検の求人詳細｜求人BOX</title><meta property="og:site_name" content="求人BOX">""", """
            <h1>設備点検スタッフ</h1><a href="/apply">応募する</a>""",
            job_title="設備点検スタッフ", company_name=None),
        job_case("a guest's view of a network, the employer without a page of its own", "https://cz.linkedin.com/jobs-guest/jobs/api/jobPosting/71", "en", "", """
            <section class="top-card-layout"><a href="/jobs/view/71"><h2 class="topcard__title">Field Technician</h2></a><h4><div class="topcard__flavor-row">
            <span class="topcard__flavor"> Seltrek, Inc. </span><span class="topcard__flavor topcard__flavor--bullet"> Krnov, Moravia-Silesia, Czechia </span></div>
            <div class="topcard__flavor-row"><span class="posted-time-ago__text topcard__flavor--metadata">1 month ago</span></div></h4></section>
            <p>Sign in to save Field Technician at Seltrek, Inc..</p>""",
            job_title="Field Technician", company_name="Seltrek, Inc.", city="Krnov"),
        job_case("a board's name of three words, the employer before the title", "https://weworkremotely.com/remote-jobs/harlow-devops", "en", """
            <title>Harlow Consulting: DevOps Engineer, Kubernetes</title><meta property="og:site_name" content="We Work Remotely">
            <meta property="og:title" content="Harlow Consulting: DevOps Engineer, Kubernetes">""", """
            <h1>DevOps Engineer, Kubernetes</h1><h2>Harlow Consulting</h2><p>Full-Time</p><a href="/apply">Apply for this position</a><footer>© We Work Remotely</footer>""",
            job_title="DevOps Engineer, Kubernetes", company_name="Harlow Consulting"),
        job_case("an employer with a dash in its name", "https://stackoverflow.com/jobs/4925/junior-cloud-engineer", "en", """
            <title>Junior Cloud Engineer at Varum Solutions - inSight Data - Stack Overflow</title>
            <meta property="og:title" content="Junior Cloud Engineer at Varum Solutions - inSight Data">""", """
            <h1>Junior Cloud Engineer</h1><p>Job type: Full-time</p><a href="/apply">Apply now</a>""",
            job_title="Junior Cloud Engineer", company_name="Varum Solutions - inSight Data"),
        job_case("the title only where the page is passed on", "https://kariera.hutbanka.cz/detail-pozice?r=detail&id=20", "cs", """
            <title>Detail pozice - Huť kariéra</title><meta property="og:title" content="Správce sítě (m/ž)">""", """
            <div id="app"></div><footer>Nastavení cookies</footer>""",
            job_title="Správce sítě (m/ž)", company_name=...),
        job_case("a slogan above a list is no job", "https://www.cyrule.com/careers/open-roles", "en", """
            <title>Careers at Cyrule, the security people</title><meta property="og:site_name" content="Cyrule">""", """
            <h1>Building a product is fun. Creating a category? Stunning.</h1><ul><li><a href="/careers/dev">Developer</a></li><li><a href="/careers/qa">Tester</a></li></ul>""",
            job_title=None, company_name=..., city=None),
        job_case("a job that is gone", "https://cyrule.com/careers/account-executive", "en", """
            <title>Account Executive (SMB) - Cyrule</title>""", """
            <h1>Job no longer available</h1><p>This position was successfully filled.</p><footer>© 2025 Cyrule</footer>""",
            job_title="Account Executive (SMB)", company_name="Cyrule"),
        job_case("the first of a list is not the page's job", "https://br.indeed.com/q-medico-vagas.html", "pt", """
            <title>Vagas de Médico | Indeed</title>""", """
            <h1>Vagas: médico</h1><div data-testid="jobsearch-JobInfoHeader-title">MÉDICO OFFSHORE</div><span data-testid="inlineHeader-companyName">CARE OFFSHORE LTDA</span>
            <div data-testid="inlineHeader-companyLocation">Rio de Janeiro, RJ</div>""",
            job_title=None, company_name=None, city=None),
        job_case("a country beside a city state, and the code of one state only", "https://www.zephyr.solutions/jobs/expansion-manager", "en", """
            <title>Zephyr - Jobs: Expansion Manager</title>""", """
            <h1>Expansion Manager</h1><p>Location: Camberwell VIC 3124</p><p>Job Type: Full Time</p>""",
            job_title="Expansion Manager", city="Camberwell"),
        job_case("Breezy", "https://nordfield-labs.breezy.hr/p/1234-field-engineer", "en", """
            <title>Field Engineer at Nordfield Labs</title><meta property="og:site_name" content="Breezy HR">""", """
            <div class="banner"><h1>Field Engineer</h1><ul class="meta"><li class="location"><span>Dayton, OH</span></li><li class="type"><span>Full-Time</span></li></ul></div>
            <a href="/apply">Apply To Position</a>""",
            job_title="Field Engineer", company_name="Nordfield Labs", city="Dayton"),
        job_case("JazzHR", "https://nordfieldlabs.applytojob.com/apply/nf9/Service-Engineer", "en", """
            <title>Service Engineer - Nordfield Labs - Career Page</title>""", """
            <div class="job-header"><h1>Service Engineer</h1><div id="resumator-job-location" title="Location">Dover, DE</div></div><a href="#">Apply Now</a>""",
            job_title="Service Engineer", company_name="Nordfield Labs", city="Dover"),
        job_case("iCIMS, the place as codes", "https://careers-nordfield.icims.com/jobs/8123/warehouse-lead/job", "en", """
            <title>Warehouse Lead in Reno, NV | Nordfield Corp Careers</title>""", """
            <h1 class="iCIMS_Header">Warehouse Lead</h1><div class="iCIMS_JobHeaderGroup"><dl><dt>Job Locations</dt><dd><span>US-NV-Reno</span></dd></dl></div>""",
            job_title="Warehouse Lead", company_name="Nordfield Corp", city="Reno"),
        job_case("Jobvite, facts set apart by an empty element", "https://jobs.jobvite.com/nordfieldlabs/job/oX1", "en", """
            <title>Nordfield Labs Careers - Nurse</title>""", """
            <h2 class="jv-header">Nurse</h2><p class="jv-job-detail-meta">Care<span class="jv-inline-separator"></span>Boise, Idaho</p><a class="jv-button">Apply</a>""",
            job_title="Nurse", company_name="Nordfield Labs", city="Boise"),
        job_case("Taleo, the country before the town", "https://nordfield.taleo.net/careersection/2/jobdetail.ftl?job=1900", "en", """
            <title>Job Description - Chemist (1900)</title>""", """
            <h1><span class="titlepage">Chemist</span></h1><h2>Primary Location</h2><span>Poland-Gdansk</span><input value="Apply Online" type="button">""",
            job_title="Chemist", city="Gdansk"),
        job_case("BambooHR", "https://nordfieldlabs.bamboohr.com/careers/31", "en", """
            <title>QA Tester - Nordfield Labs - BambooHR</title>""", """<h2>QA Tester</h2><p>Product – Lindon, Utah</p><span>Apply for This Job</span>""",
            job_title="QA Tester", company_name="Nordfield Labs"),
        job_case("a large board in Russian", "https://hh.ru/vacancy/1", "ru", """
            <title>Вакансия Инженер в Перми, работа в компании Ромашка-Сервис</title>""", """
            <h1 data-qa="vacancy-title">Инженер</h1><a data-qa="vacancy-company-name">Ромашка-Сервис</a><a>Откликнуться</a>""",
            job_title="Инженер", company_name="Ромашка-Сервис"),
        job_case("a large board in Polish, a link beside the employer", "https://www.pracuj.pl/praca/kucharz,oferta,1", "pl", """
            <title>Oferta pracy Kucharz, Warszawa</title>""", """
            <h1 data-test="text-positionName">Kucharz</h1><h2 data-test="text-employerName">Norpol Sp. z o.o.<a href="/f">O firmie</a></h2>
            <div data-test="sections-benefit-workplaces"><div data-test="offer-badge-title">Warszawa</div></div>""",
            job_title="Kucharz", company_name="Norpol Sp. z o.o.", city="Warszawa"),
        job_case("a page that sends elsewhere", "https://www.zephyr.solutions/jobs/marketing-lead", "en", """
            <title>Redirecting…</title><link rel="canonical" href="https://www.zephyr.solutions/jobs/expansion-manager/">""", """
            <h1>Redirecting…</h1><a href="/jobs/expansion-manager/">Click here if you are not redirected.</a>""",
            job_title=None, company_name=..., city=None),
        job_case("list of jobs is no job", "https://www.tidewaterlabs.com/jobs", "en", """
            <title>Jobs at Tidewater Labs</title>""", """
            <h1>Open positions</h1><ul><li><a href="/jobs/1">Backend Engineer</a> Lisbon</li><li><a href="/jobs/2">Designer</a> Porto</li>
            <li><a href="/jobs/3">Office Manager</a> Lisbon</li></ul><footer>© 2025 Tidewater Labs</footer>""",
            job_title=None, company_name=..., city=None),
    ]  # fmt: skip


def company_case(shape: str, url: str, lang: str, head: str, body: str, **truth: object) -> KindCase:
    return KindCase(shape, "company_website", url, document(head, body, lang), _scored(truth))


def job_case(shape: str, url: str, lang: str, head: str, body: str, **truth: object) -> KindCase:
    return KindCase(shape, "job_posting", url, document(head, body, lang), _scored(truth))


def _scored(truth: dict[str, object]) -> dict[str, object]:
    """`...` where more than one answer is right."""
    return {field: value for field, value in truth.items() if value is not ...}
