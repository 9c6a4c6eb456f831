"""State a careers page carries for its own script -> the posting it shows (Ashby, Remix boards, Next.js …)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from winnow.extract.candidates import Collected
from winnow.extract.draft import Strategy
from winnow.extract.limits import MAX_NODES
from winnow.extract.parsed_page import ParsedPage
from winnow.extract.state.hydration_states import states
from winnow.extract.structured.main_item import likeness
from winnow.extract.structured.schema_graph import Node

_STATE_KEYS = {
    "job_title": ("title", "jobTitle", "job_title", "positionName", "name"),
    "company_name": (
        "companyName",
        "company_name",
        "organizationName",
        "employerName",
        "hiringOrganization",
        "company",
        "organization",
        "employer",
    ),
    "location": ("locationName", "location", "jobLocation", "city", "formattedLocation", "locations"),
    "employment_type": ("employmentType", "employment_type", "jobType", "commitment", "contractType"),
    "description": ("descriptionHtml", "description", "jobDescription", "content", "descriptionPlain"),
    "date_posted": (
        "publishedDate",
        "datePosted",
        "date_posted",
        "postedDate",
        "publishedAt",
        "published_at",
        "createdAt",
    ),
    "salary": ("compensationTierSummary", "salary", "salaryText", "compensation"),
}


def read_states(into: Collected, parsed: ParsedPage) -> None:
    """State of the page's own script: the object named like the page that has what only a posting has."""
    for state in states(parsed.tree, lambda text: "itle" in text and "escription" in text):
        for node, path in walk(state.data, state.name):
            title = next((n for key in ("title", "jobTitle", "job_title") if isinstance(n := node.get(key), str)), "")
            if title and _is_posting(node) and any(likeness(title, t) >= (1, 0.3) for t in parsed.facts.titles):
                _from_state(into, node, path)
                _company_of_state(into, state.data, path)
                return


def _is_posting(node: Node) -> bool:
    keys = {str(key).lower() for key in node}
    signs = (
        "employmenttype",
        "employment_type",
        "locationname",
        "joblocation",
        "departmentname",
        "department",
        "jobdescription",
        "jobtype",
        "commitment",
        "workplacetype",
    )
    return sum(sign in keys for sign in signs) >= 1 and any("descri" in key or key == "content" for key in keys)


def _from_state(into: Collected, node: Node, path: str) -> None:
    for field, keys in _STATE_KEYS.items():
        for key in keys:
            value = node.get(key)
            value = value[0] if isinstance(value, list) and value else value
            if isinstance(value, dict):
                value = value.get("name") or value.get("text") or value.get("label")
            if isinstance(value, str) and value.strip():
                into.add(field, value, Strategy.HYDRATION, f"{path}.{key}")
                break
    if node.get("isRemote") is True or str(node.get("workplaceType", "")).lower() == "remote":
        into.add("remote", "TELECOMMUTE", Strategy.HYDRATION, f"{path}.isRemote")


def _company_of_state(into: Collected, data: Any, path: str) -> None:
    owner = data.get("organization") or data.get("company") if isinstance(data, dict) else None
    if isinstance(owner, dict) and isinstance(owner.get("name"), str):
        into.add("company_name", owner["name"], Strategy.HYDRATION, f"{path.partition('.')[0]}.organization.name")


def walk(data: Any, name: str) -> Iterator[tuple[Node, str]]:
    stack: list[tuple[Any, str, int]] = [(data, name, 0)]
    seen = 0
    while stack and seen < MAX_NODES:
        value, path, depth = stack.pop()
        seen += 1
        if isinstance(value, dict):
            yield value, path
            inner = [(v, f"{path}.{k}") for k, v in value.items()]
        else:
            inner = [(v, f"{path}[{i}]") for i, v in enumerate(value[:300])]
        if depth < 30:
            stack += [(v, p, depth + 1) for v, p in reversed(inner) if isinstance(v, dict | list)]
