"""Boards that publish other firms' jobs without a word for machines: labels, lines and the page's title are all there is."""

from __future__ import annotations

from kind_cases import KindCase
from small_sites import job_case

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
        job_case("an employer who hides", "http://www.fairshifts.com/job/view/id/575", "en", """
            <title>IT Job Search Associate Smith confidential</title>""", f"""
            {_MENU}<h1>Associate Smith</h1><div>Company's Name</div><div>confidential</div><div>Location</div><div>Riverton, United States</div><div>Employment Types</div><div>Contractor</div>""",
            job_title="Associate Smith", company_name=None, city="Riverton"),
        job_case("several places in one cell", "https://www.tidewaterlabs.com/jobs/surveyor", "de", """
            <title>Vermesser (m/w/d) | Tidewater Labs</title>""", """
            <h1>Vermesser (m/w/d)</h1><table><tr><th>Arbeitsort</th><td>Hamburg<br>Bremen<br>Kiel</td></tr><tr><th>Vertragsart</th><td>unbefristet</td></tr></table>
            <footer>© 2025 Tidewater Labs</footer>""",
            job_title="Vermesser (m/w/d)", company_name="Tidewater Labs", city="Hamburg"),
    ]  # fmt: skip
