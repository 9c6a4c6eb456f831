from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field, computed_field

from winnow.api.models.fields import Changes, Id, Name, Reason, RequestModel, ResponseModel, Text, Url
from winnow.api.models.targets import CadenceFields
from winnow.feeds.run_result import RunResult, result_of

Path = Text
Network = Literal["IMPACT", "AVANTLINK", "CJ", "RAKUTEN", "SHAREASALE", "AWIN", "GOOGLE"]
Transport = Literal["SFTP", "FTPS", "FTP", "HTTPS", "FILE"]
Format = Literal["CSV", "TSV", "XML", "JSON"]
UpdateMode = Literal["FULL", "INCREMENTAL"]
TEMPLATE = "Address of rows that have none: https://shop.example.com/products/{Handle}."
MODE = "INCREMENTAL: offers that the file does not contain are unchanged."
Mode = Literal["PRESERVE_PATH_CASE", "LOWERCASE_PATH"]


class FeedCreate(RequestModel):
    """A feed with a source of its own; it begins as a draft (F-004)."""

    name: Name
    url: Url = Field(description="The shop's address.")
    retailer: Name = Field(description="The retailer's name. Created if it does not exist (F-020).")
    network: Network = "IMPACT"
    account_id: Name | None = None
    account_name: Name | None = None
    tracking_template: Text | None = Field(None, max_length=2_000, description="{url}, {item_id}, {sku} are filled in.")
    display_primary: bool = False
    transport: Transport = "SFTP"
    host: Name | None = None
    port: int | None = Field(None, ge=1, le=65_535)
    path: Path = Field(min_length=1, max_length=4_096)
    username: Name | None = None
    password: Text | None = Field(None, max_length=20_000, description="Kept sealed; never shown again.")
    confirm_insecure: bool = Field(False, description="I understand FTP is insecure.")
    schedule_frequency_hours: Literal[1, 2, 4, 6, 12, 24] | None = None
    schedule_cron: Text | None = Field(None, max_length=200, description="Five fields, UTC; instead of the hours.")
    keep_files: bool = Field(False, description="Keep the file of each run as long as the run.")
    expiry_hours: int = Field(48, ge=1, le=168)
    heartbeat_hours: int = Field(24, ge=1, le=8_760)
    format: Format = "CSV"
    encoding: Name | None = None
    delimiter: Text | None = Field(None, min_length=1, max_length=1)
    default_currency: Text = Field("USD", pattern="^[A-Z]{3}$")
    column_overrides: dict[str, str] = Field({}, description="Field of a row -> column of the file.")
    url_template: Text | None = Field(None, max_length=2_000, description=TEMPLATE)
    update_mode: UpdateMode = Field("FULL", description=MODE)
    max_file_size_bytes: int | None = Field(None, ge=1, le=10**13)
    max_row_count: int | None = Field(None, ge=1, le=2_000_000_000)
    refresh_unchanged: bool = False
    url_normalization_mode: Mode = "PRESERVE_PATH_CASE"


class FeedUpdate(Changes):
    """A password that is left out or empty is kept (F-102)."""

    NEEDED = frozenset({
        "transport", "path", "expiry_hours", "heartbeat_hours", "network", "refresh_unchanged", "keep_files", "format",
        "default_currency", "column_overrides", "url_normalization_mode", "name", "url", "update_mode",
    })  # fmt: skip

    name: Name | None = None
    url: Url | None = Field(None, description="The shop's address.")
    network: Network | None = None
    transport: Transport | None = None
    host: Name | None = None
    port: int | None = Field(None, ge=1, le=65_535)
    path: Path | None = Field(None, min_length=1, max_length=4_096)
    username: Name | None = None
    password: Text | None = Field(None, max_length=20_000)
    confirm_insecure: bool = False
    schedule_frequency_hours: Literal[1, 2, 4, 6, 12, 24] | None = None
    schedule_cron: Text | None = Field(None, max_length=200)
    keep_files: bool | None = None
    format: Format | None = None
    encoding: Name | None = None
    delimiter: Text | None = Field(None, min_length=1, max_length=1)
    default_currency: Text | None = Field(None, pattern="^[A-Z]{3}$")
    column_overrides: dict[str, str] | None = None
    url_template: Text | None = Field(None, max_length=2_000, description=TEMPLATE)
    update_mode: UpdateMode | None = None
    url_normalization_mode: Mode | None = None
    expiry_hours: int | None = Field(None, ge=1, le=168)
    heartbeat_hours: int | None = Field(None, ge=1, le=8_760)
    max_file_size_bytes: int | None = Field(None, ge=1, le=10**13)
    max_row_count: int | None = Field(None, ge=1, le=2_000_000_000)
    refresh_unchanged: bool | None = None
    host_key_fingerprint: Name | None = Field(None, description="Null trusts the next key seen.")


class FeedTargets(CadenceFields):
    """Shown offers of the feed, by id or SKU, whose pages are to be visited."""

    offer_ids: list[Id] = Field(default=[], max_length=1_000)
    skus: list[Text] = Field(default=[], max_length=1_000)
    priority: int = Field(0, ge=-1000, le=1000, description="Higher first (P-057).")


class LinkedTarget(ResponseModel):
    offer_id: int
    target_id: int
    url: str
    created: bool = Field(description="False: the page was a target already.")


class RefusedOffer(ResponseModel):
    offer_id: int
    url: str
    reason: str


class FeedTargetsOutcome(ResponseModel):
    linked: list[LinkedTarget]
    refused: list[RefusedOffer]


class FeedClone(RequestModel):
    """Settings and password of a feed for a new one."""

    name: Name


class Enable(RequestModel):
    acknowledged: bool = Field(False, description="Seen why the system disabled it (F-104).")


class RollBack(RequestModel):
    reason: Reason = Field(min_length=1)


RunTrigger = Literal["SCHEDULED", "MANUAL", "MANUAL_PENDING", "ADMIN_TEST"]
RunStatus = Literal["RUNNING", "SUCCEEDED", "FAILED"]


class Click(RequestModel):
    placement: Name | None = None


class FeedResponse(ResponseModel):
    id: int
    source_id: int
    name: str
    network: str
    status: str
    status_text: str | None = None
    warning: str | None = None
    schedule_frequency_hours: int | None = None
    schedule_cron: str | None = None
    next_run_at: datetime | None = None
    expiry_hours: int
    heartbeat_hours: int
    consecutive_failures: int
    last_run_at: datetime | None = None
    last_run_status: RunResult | None = Field(None, description="The result of the last run.")
    waiting_run_id: int | None = Field(None, description="The run that waits for approval, even if it is not the last.")
    manual_run_pending: bool
    transport: str
    host: str | None = None
    port: int | None = None
    path: str | None = None
    username: str | None = None
    has_password: bool
    host_key_fingerprint: str | None = None
    format: str
    encoding: str | None = None
    delimiter: str | None = None
    default_currency: str
    column_overrides: dict[str, Any] | None = None
    url_template: str | None = None
    update_mode: str
    url_normalization_mode: str
    last_content_hash: str | None = None
    max_file_size_bytes: int | None = None
    max_row_count: int | None = None
    promoted_at: datetime | None = None
    goes_stale_at: datetime | None = None
    refresh_unchanged: bool
    keep_files: bool
    is_display_primary: bool


class FeedRunResponse(ResponseModel):
    id: int
    feed_id: int
    source_id: int
    trigger: str
    status: str
    started_at: datetime
    finished_at: datetime | None = None
    duration_ms: int | None = None
    download_bytes: int | None = None
    rows_read: int | None = None
    rows_parsed: int | None = None
    products_upserted: int | None = None
    products_expired: int | None = None
    products_rejected: int | None = None
    products_promoted: int | None = None
    prices_written: int | None = None
    error_count: int
    duplicate_key_count: int
    products_removed: int
    unknown_stock_count: int
    url_hash_fallback_count: int | None = None
    identity_upgrade_count: int
    identity_flap_count: int
    path_case_collision_count: int
    expiry_hours_at_run: int | None = None
    active_count_before: int | None = None
    seen_success_count: int | None = None
    would_expire_count: int | None = None
    expiry_blocked: bool
    expiry_blocked_reason: str | None = None
    expiry_approved_at: datetime | None = None
    expiry_approved_by: str | None = None
    replaced_by_run_id: int | None = Field(None, description="The run loaded after it, before anybody approved it.")
    is_partial: bool
    expiry_step_failed: bool
    skipped_reason: str | None = None
    error_code: str | None = None
    error_message: str | None = None
    invalidated_at: datetime | None = None
    artifact_url: str | None = None

    @computed_field(description="What it amounts to; `status` says only whether the file was loaded.")  # type: ignore[prop-decorator]
    @property
    def result(self) -> RunResult:
        return result_of(self.model_dump(exclude={"result"}))


class FeedErrorResponse(ResponseModel):
    code: str
    message: str
    row_number: int | None = None
    raw_row: dict[str, Any] | None = None


class SeenOffer(ResponseModel):
    """An offer that a run found in its file (F-028)."""

    id: int
    title: str
    url: str
    identity_value: str
    seen_at: datetime


class Queued(ResponseModel):
    status: str = "queued"
    message: str = "Run queued"
    task_id: str


class JobResponse(ResponseModel):
    status: str
    run_id: int | None = None
    result: dict[str, Any] | None = None
    error: str | None = None


class Approved(ResponseModel):
    run_id: int
    products_promoted: int


class Destination(ResponseModel):
    url: str
