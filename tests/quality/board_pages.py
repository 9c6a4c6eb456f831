"""Boards that publish other firms' jobs without a word for machines: labels, lines and the page's title are all there is."""

from __future__ import annotations

from tests.quality.kind_cases import KindCase
from tests.quality.small_sites import job_case

_MENU = (
    "<ul><li>Find Jobs</li><li>Post Resume</li><li>Career Advice</li></ul><div>Employers | Post Jobs | Sign In</div>"
)


def board_job_cases() -> list[KindCase]:
    return [
        job_case("facts in a list, headings only for parts", "http://seek.hirequay.com/servlet/Search?op=302&key=0d", "en", """
            <title>Loom Architect and Developer jobs - HireQuay.com</title>""", """
            <a>Rate This Job</a><h1>Job Overview</h1><dl><dt>Company:</dt><dd>Ostrow Sciences Inc</dd><dt>Title:</dt><dd>Loom Architect and Developer</dd>
            <dt>Location:</dt><dd>Arlington, VA</dd><dt>Employ. Type:</dt><dd>FULLTIME</dd><dt>Pay Rate:</dt><dd>$85,000 - $100,000</dd></dl>
            <h1>Contact Information</h1><p>Arlington, VA 22201</p><h1>Job Description</h1><p>We weave.</p>""",
            job_title="Loom Architect and Developer", company_name="Ostrow Sciences Inc", city="Arlington"),
        job_case("a line that the title repeats, a map below the place", "http://www.workharbor.com/JobSeeker/Jobs/JobDetails.aspx?id=J8F", "en", """
            <title>Find Jobs - Kiln Technician Jobs in Pittsburgh, Pennsylvania - e-Kiln Group, Inc.</title>""", f"""
            {_MENU}<p>Job Overview</p><table><tr><td>Company:</td><td>e-Kiln Group, Inc.</td></tr><tr><td>Employee Type:</td><td>Full-Time</td></tr>
            <tr><td>Location:</td><td>US-PA-Pittsburgh<div>Loading Map...</div></td></tr></table><p>Kiln Technician</p><p>Job Title : Systems Analyst</p>""",
            job_title="Kiln Technician", company_name="e-Kiln Group, Inc.", city="Pittsburgh"),
        job_case("the title says all of it in a sentence", "http://ringofjobs.com/classifieds/626.html", "en", """
            <title>'Lead Clerk - Test Bench' in Freeport, ME job posted by Overnest LLC</title>""", f"""
            {_MENU}<div>Overnest LLC</div><div>Lead Clerk - Test Bench</div><div>Posted: December 6, 2010</div><p>Title:Lead Clerk - Test Bench</p>
            <table><tr><td>Location</td><td>Freeport, ME</td></tr><tr><td>Company</td><td>Overnest LLC</td></tr></table>""",
            job_title="Lead Clerk - Test Bench", company_name="Overnest LLC", city="Freeport"),
        job_case("the board's own firm as a heading, three lines for the job", "http://aimfinder.com/c2/job.cfm?job=742", "en", """
            <title>Job Search - Advanced Engraver - Halden College of Art - New Orleans, LA United States - AimFinder</title>""", f"""
            <h1>AimFinder, LLC</h1>{_MENU}<div>Advanced Engraver</div><div>Halden College of Art</div><div>New Orleans, Louisiana, United States</div>
            <table><tr><td>Position Title:</td><td>Advanced Engraver</td></tr><tr><td>Job Type:</td><td>Full-Time</td></tr></table><p>Copyright © 2007 AimFinder, All Rights Reserved.</p>""",
            job_title="Advanced Engraver", company_name="Halden College of Art", city="New Orleans"),
        job_case("the board is not the employer", "http://www.web-shifts.com/job/2i2c/SUPT/support_analyst.html", "en", """
            <title>Support Analyst</title>""", f"""
            {_MENU}<div>Support Analyst</div><a>Back to search</a><div>Location:</div><div>Baltimore MD</div><a>Apply Online</a><p>Copyright 2011 Web-Shifts, Inc.</p>""",
            job_title="Support Analyst", company_name=None, city="Baltimore"),
        job_case("a customer of the board under its label, work from home", "http://www.web-shifts.com/job/2i2c/SUPT/clerk.html", "en", """
            <title>'Senior Night Clerk' job</title>""", f"""
            {_MENU}<div>Senior Night Clerk</div><div>Contact Information:</div><div>Barrow Search LLC</div><div>Title:</div><div>Night Clerk</div>
            <div>Location:</div><div>work from home</div><a>Apply Online</a><p>Copyright 2011 Web-Shifts, Inc.</p>""",
            job_title="Senior Night Clerk", company_name="Barrow Search LLC", location=None),
        job_case("an employer who hides", "http://www.fairshifts.com/job/view/id/575", "en", """
            <title>IT Job Search Associate Smith confidential</title>""", f"""
            {_MENU}<h1>Associate Smith</h1><div>Company's Name</div><div>confidential</div><div>Location</div><div>Riverton, United States</div><div>Employment Types</div><div>Contractor</div>""",
            job_title="Associate Smith", company_name=None, city="Riverton"),
        job_case("the title above its number, the employer under a label", "https://www.larkgum.com/careers/posting?id=42", "en", """
            <title>Larkgum.com :: Careers - CCC</title>""", """
            <ul><li>About Us</li><li>Careers</li></ul><h1>Careers</h1><div>QA Packaging Engineer</div><div>Job ID:</div><div>4262</div><div>Location:</div><div>US-IL-Yorkville</div>
            <div>Company:</div><div>Larkgum Jr. Company</div><div>Apply for this job online</div>""",
            job_title="QA Packaging Engineer", company_name="Larkgum Jr. Company", city="Yorkville"),
        job_case("a system's own table, steps above it", "https://jobs.ringbrass.com/1033/asp/tg/cim_jobdetail.asp?jobId=1", "en", """
            <title>Holms Companies Inc - Job details</title>""", """
            <ul><li>Search<br>results</li><li>Job<br>details</li></ul><p>Job details</p><table><tr><td>Job Posting Title</td><td>Seasonal Stocker Overnight</td></tr>
            <tr><td>Job ID</td><td>10231BR</td></tr><tr><td>Location Name</td><td>Dover, NJ</td></tr></table>""",
            job_title="Seasonal Stocker Overnight", company_name=...),
        job_case("a table of many is no posting", "https://www.larkgum.com/careers/results", "en", """
            <title>Larkgum.com :: Careers - CCC</title>""", """
            <h1>Career Opportunities</h1><p>Page 1 of 3</p><table><tr><th>Job ID</th><th>Title</th><th>Location</th><th>Posted Date</th></tr>
            <tr><td>4262</td><td>QA Engineer</td><td>US-IL-Yorkville</td><td>12/21/2009</td></tr><tr><td>4263</td><td>Clerk</td><td>US-IL-Chicago</td><td>12/22/2009</td></tr></table>""",
            job_title=None, city=None),
        job_case("several places in one cell", "https://www.tidewaterlabs.com/jobs/surveyor", "de", """
            <title>Vermesser (m/w/d) | Tidewater Labs</title>""", """
            <h1>Vermesser (m/w/d)</h1><table><tr><th>Arbeitsort</th><td>Hamburg<br>Bremen<br>Kiel</td></tr><tr><th>Vertragsart</th><td>unbefristet</td></tr></table>
            <footer>© 2025 Tidewater Labs</footer>""",
            job_title="Vermesser (m/w/d)", company_name="Tidewater Labs", city="Hamburg"),
    ]  # fmt: skip
