"""Adding and changing a feed. A stored password never comes to the browser: the field is empty, and empty keeps it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from winnow.actions import feeds as feed_actions
from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets.form import FormField, area_field, select_field, switch_field, text_field
from winnow.console.widgets.html import div, link, tag
from winnow.console.widgets.parts import button, card, row
from winnow.errors import InvalidInput, NotFound
from winnow.feeds.admin import FREQUENCIES, TRANSPORTS, expires_between_runs
from winnow.feeds.feed import MAX_FILE_BYTES
from winnow.feeds.read.columns import NETWORKS
from winnow.feeds.read.layout import MAX_ROWS
from winnow.observe.users import UserRole
from winnow.queries import feeds as queries
from winnow.queries.reading import Row

EVERY = {"": "Manual only"} | {str(h): f"Every {h} hours" if h > 1 else "Every hour" for h in FREQUENCIES}
HOW = {"SFTP": "SFTP", "HTTPS": "HTTPS", "FTPS": "FTPS, encrypted", "FTP": "FTP, not encrypted",
       "FILE": "A file on this machine"}  # fmt: skip
FORMATS = {"CSV": "CSV, or detected from the file", "TSV": "TSV", "XML": "XML", "JSON": "JSON"}
UPDATES = {"FULL": "The whole catalogue", "INCREMENTAL": "Changes only"}
MODES = {"PRESERVE_PATH_CASE": "Case-sensitive paths", "LOWERCASE_PATH": "Case-insensitive paths"}
DEFAULTS: dict[str, Any] = {
    "network": "IMPACT", "transport": "SFTP", "expiry_hours": 48, "heartbeat_hours": 24, "format": "CSV",
    "default_currency": "USD", "url_normalization_mode": "PRESERVE_PATH_CASE", "column_overrides": {},
    "refresh_unchanged": False, "has_password": False, "update_mode": "FULL",
}  # fmt: skip


@page("/feeds/new", "New feed", parent="/feeds", role=UserRole.ADMIN)
async def build_new(view: View) -> None:
    heading("New feed", "It starts as a draft: nothing is fetched until you test or enable it.")
    form = FeedForm(view, None)
    made: list[int] = []

    async def add(context: ActionContext) -> str:
        with form.field_errors():
            async with context.parts.database.transaction() as conn:
                feed = await feed_actions.add(conn, context.actor, context.parts.feed_setup, form.values_given())
        made[:] = [feed.id]
        return f"{feed.name} is added as a draft. Test it, then enable it."

    with row():
        adds = act(view, UserRole.ADMIN, "feed.add", add, then=lambda: ui.navigate.to(f"/feeds/{made[0]}"))
        button("Add the feed", adds, kind="primary")
        link("Cancel", "/feeds", cls="w-button")


@page("/feeds/{feed_id:int}/edit", "Edit feed", parent="/feeds", role=UserRole.ADMIN)
async def build_edit(view: View, feed_id: int) -> None:
    async with view.reading() as conn:
        feed = await queries.one(conn, feed_id)
    if feed is None:
        raise NotFound(f"there is no feed {feed_id}")
    heading(f"Edit {feed['name']}", "Takes effect with the next run.")
    form = FeedForm(view, feed)

    async def save(context: ActionContext) -> str:
        with form.field_errors():
            async with context.parts.database.transaction() as conn:
                await feed_actions.change(conn, context.actor, context.parts.feed_setup, feed_id, form.values_given())
        return "Saved."

    with row():
        button("Save", act(view, UserRole.ADMIN, "feed.change", save, about=feed_id,
                           then=lambda: ui.navigate.to(f"/feeds/{feed_id}")), kind="primary")  # fmt: skip
        link("Cancel", f"/feeds/{feed_id}", cls="w-button")


class FeedForm:
    def __init__(self, view: View, feed: Row | None) -> None:
        self._view, self._feed = view, feed
        self._known = {**DEFAULTS, **(feed or {})}
        self.fields: dict[str, FormField] = {}
        self._catalogue_fields()
        self._location_fields()
        self._schedule_fields()
        self._format_fields()
        with card("Before you save") as self._notes:
            self._status_text = div()
        self._warn()

    def _catalogue_fields(self) -> None:
        with card("Catalogue"), div("w-form"):
            self._text("name", "Name", placeholder="Outdoor shop, Impact")
            self._text("url", "Shop URL", kind="url", placeholder="https://shop.example.com")
            if self._feed is not None:
                return
            self._text("retailer", "Retailer", help_text="Created if it does not exist.")
            self._text(
                "tracking_template",
                "Tracking URL",
                placeholder="https://go.example.com/?to={url}",
                help_text="{url}, {item_id} and {sku} are replaced. Leave empty to use the shop's own URL.",
            )
            self._switch("display_primary", "Show its offers to consumers",
                         "It becomes the retailer's primary source, the one that consumers see.")  # fmt: skip

    def _location_fields(self) -> None:
        stored = self._known["has_password"]
        with card("File location"), div("w-form"):
            self._select("network", "Network", {n: n.title() for n in NETWORKS})
            self._select("transport", "Transport", {t: HOW[t] for t in TRANSPORTS})
            self._text("host", "Server", placeholder="sftp.network.example")
            self._text("port", "Port", kind="number", min=1, max=65535, placeholder="default")
            self._text("path", "File", placeholder="/catalogue.csv.gz", help_text="For HTTPS, the full URL.")
            self._text("username", "User", autocomplete="off")
            self.fields["password"] = text_field(
                "New password" if stored else "Password", kind="password", autocomplete="new-password",
                placeholder="••••••••" if stored else "",
                help_text="The password is stored encrypted. Leave blank to keep existing password." if stored
                else "Stored encrypted and never shown again.",
            )  # fmt: skip
            self._switch("confirm_insecure", "I understand FTP is insecure",
                         "Required for FTP only: the password is sent in clear text.")  # fmt: skip
            if self._feed is not None and self._feed["host_key_fingerprint"]:
                self._switch("forget_host_key", "Trust the server's next host key",
                             f"Current key: {self._feed['host_key_fingerprint']}")  # fmt: skip

    def _schedule_fields(self) -> None:
        with card("Schedule"), div("w-form"):
            self._select("schedule_frequency_hours", "Schedule", EVERY)
            self._text("expiry_hours", "Offers expire after (hours)", kind="number", min=1, max=168,
                       help_text="An offer not seen for this long is hidden. 1 to 168.")  # fmt: skip
            self._text("heartbeat_hours", "Write unchanged prices every (hours)", kind="number", min=1, max=8760)
            self._switch("refresh_unchanged", "An unchanged file keeps offers active",
                         "Otherwise offers expire unless a new file arrives.")  # fmt: skip

    def _format_fields(self) -> None:
        overrides = "\n".join(f"{name} = {column}" for name, column in self._known["column_overrides"].items())
        with card("File format"), div("w-form"):
            self._select("format", "Format", FORMATS)
            self._text("default_currency", "Default currency", maxlength=3)
            self._text("encoding", "Encoding", placeholder="detected from the file")
            self._text("delimiter", "Delimiter", placeholder="detected from the file", maxlength=1)
            self._select("update_mode", "Content of the file", UPDATES)
            self._text("url_template", "URL template", placeholder="https://shop.example.com/products/{Handle}",
                       help_text="For rows without an address: a column of the file in braces.")  # fmt: skip
            self._select("url_normalization_mode", "URL comparison", MODES)
            self._text("max_row_count", "Maximum rows", kind="number", min=1, placeholder=str(MAX_ROWS))
            self._text(
                "max_file_size_bytes",
                "Maximum file size (bytes)",
                kind="number",
                min=1,
                placeholder=str(MAX_FILE_BYTES),
            )
            self.fields["column_overrides"] = area_field(
                "Column mapping",
                overrides,
                rows=3,
                help_text="One per line: field = column of the file, e.g. title = Name.",
            )

    def _text(self, name: str, label: str, **more: Any) -> None:
        value = self._known.get(name)
        self.fields[name] = text_field(label, "" if value is None else str(value), on_change=self._warn, **more)

    def _select(self, name: str, label: str, options: dict[str, str]) -> None:
        value = self._known.get(name)
        self.fields[name] = select_field(label, options, "" if value is None else str(value), on_change=self._warn)

    def _switch(self, name: str, label: str, description: str) -> None:
        self.fields[name] = switch_field(
            label, bool(self._known.get(name)), help_text=description, on_change=self._warn
        )

    def _warn(self) -> None:
        """Drawn anew with every change; nothing here forbids saving."""
        if not hasattr(self, "_status_text"):  # the last card is drawn last
            return
        found = warnings({name: field.value for name, field in self.fields.items()},
                         plain_ftp=self._view.settings.feeds.allow_plain_ftp,
                         stored_password=self._known["has_password"])  # fmt: skip
        self.fields["confirm_insecure"].box.set_visibility(self.fields["transport"].value == "FTP")
        self._status_text.clear()
        self._notes.set_visibility(bool(found))
        with self._status_text, tag("ul", cls="w-list"):
            for description in found:
                tag("li", description)

    def values_given(self) -> dict[str, Any]:
        """As `actions.feeds` takes it. InvalidInput names the field."""
        values = {name: field.value.strip() if isinstance(field.value, str) else field.value
                  for name, field in self.fields.items()}  # fmt: skip
        numbers = ("port", "expiry_hours", "heartbeat_hours", "schedule_frequency_hours", "max_row_count",
                   "max_file_size_bytes")  # fmt: skip
        read: dict[str, Any] = {
            n: v for n, v in values.items() if n not in (*numbers, "column_overrides", "forget_host_key")
        }
        read |= {name: parse_int(name, values[name]) for name in numbers}
        read |= {name: read[name] or None for name in OPTIONAL if name in read}
        read["column_overrides"] = overrides(values["column_overrides"])
        read["default_currency"] = currency(read["default_currency"])
        if values.get("forget_host_key"):
            read["host_key_fingerprint"] = None
        for name in ("name", "url", "retailer"):
            if read.get(name) == "":
                raise InvalidInput(f"{name} is needed", name)
        return read

    def field_errors(self) -> Any:
        return _FieldErrors(self.fields)


class _FieldErrors:
    """Says beside the field what is wrong with it; the note at the top is said by `act`."""

    def __init__(self, fields: dict[str, FormField]) -> None:
        self._fields = fields

    def __enter__(self) -> None:
        for field in self._fields.values():
            field.set_error("")

    def __exit__(self, _: Any, error: BaseException | None, __: Any) -> None:
        if isinstance(error, InvalidInput) and error.field in self._fields:
            self._fields[error.field].set_error(str(error))


OPTIONAL = ("host", "username", "password", "encoding", "delimiter", "tracking_template", "url_template")
Warner = Callable[[dict[str, Any]], str | None]


def warnings(values: dict[str, Any], *, plain_ftp: bool, stored_password: bool) -> list[str]:
    """What an operator should know before saving. Pure."""
    found = []
    if values["transport"] == "FTP":
        found.append(
            "FTP is not encrypted: the password and the file travel in clear text. Use SFTP or HTTPS if you can."
        )
        if not plain_ftp:
            found.append("Plain FTP is disabled (AFFILIATE_FEED_ALLOW_PLAIN_FTP), so this cannot be saved.")
    expiry, every = _number(values["expiry_hours"]), _number(values["schedule_frequency_hours"])
    if expiry is not None and expires_between_runs({"expiry_hours": expiry, "schedule_frequency_hours": every}):
        found.append(f"Offers expire after {expiry} h, but the feed runs only every {every} h: between two runs "
            f"everything "
                     "would expire.")  # fmt: skip
    if every is None:
        found.append("It has no schedule: it runs only when started manually, and its offers may expire in between.")
    if values["transport"] in ("SFTP", "FTP") and not values["password"] and not stored_password:
        found.append("There is no password. This works only if the server requires none.")
    if values["transport"] == "HTTPS" and values["path"] and not str(values["path"]).startswith("https://"):
        found.append("For HTTPS the file must be a full URL that starts with https://.")
    return found


def parse_int(name: str, text: str) -> int | None:
    """A number of a form; empty is none."""
    if text in ("", None):
        return None
    number = _number(text)
    if number is None:
        raise InvalidInput(f"{name.replace('_', ' ')} is a whole number", name)
    return number


def _number(text: Any) -> int | None:
    digits = str(text or "")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else None


def currency(text: str) -> str:
    code = text.upper()
    if len(code) != 3 or not code.isascii() or not code.isalpha():
        raise InvalidInput("a currency has three letters, e.g. EUR", "default_currency")
    return code


def overrides(text: str) -> dict[str, str]:
    found = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, sign, column = (part.strip() for part in line.partition("="))
        if not (sign and name and column):
            raise InvalidInput(f"{line!r} is no `field = column`", "column_overrides")
        found[name] = column
    return found
