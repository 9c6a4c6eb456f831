"""Field types that recur: ids the database can hold, text it can store, moments with a zone."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, model_validator

MAX_BIGINT = 2**63 - 1  # bigint
MAX_IDS = 1_000  # in one bulk request


def storable(value: str) -> str:
    if "\x00" in value:
        raise ValueError("a zero character cannot be stored")
    return value


def number(value: object) -> object:
    """In a body "10" is a text; in a path or a query there is nothing else."""
    if isinstance(value, str | bool):
        raise ValueError("a number is needed")
    return value


Id = Annotated[int, Field(ge=1, le=MAX_BIGINT)]
Text = Annotated[str, AfterValidator(storable)]
Name = Annotated[Text, Field(min_length=1, max_length=200)]
Notes = Annotated[Text, Field(max_length=10_000)]
Reason = Annotated[Text, Field(max_length=1_000)]
Url = Annotated[Text, Field(min_length=1, max_length=8_192, examples=["https://shop.example.com/p/1"])]
Cron = Annotated[Text, Field(min_length=1, max_length=200, examples=["0 */4 * * *"])]
Moment = AwareDatetime


class RequestModel(BaseModel):
    """A request body. An unknown field is an error, so that a typo is noticed."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Changes(RequestModel):
    """Only the fields that are sent are changed. Null takes a value away, where it may be missing at all."""

    NEEDED: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="after")
    def _needed_stay(self) -> Self:
        for name in sorted(self.NEEDED & self.model_fields_set):
            if getattr(self, name) is None:
                raise ValueError(f"{name} cannot be null")
        return self


class ResponseModel(BaseModel):
    """What we answer with, read from a row; columns that are not declared never get out."""

    model_config = ConfigDict(from_attributes=True, extra="ignore")

    @classmethod
    def of(cls, row: Any) -> Any:
        return cls.model_validate(dict(row))


class Ids(RequestModel):
    ids: Annotated[list[Id], Field(min_length=1, max_length=MAX_IDS)]


class Changed(BaseModel):
    """The ids that were changed; those that already were as wanted are not among them."""

    ids: list[int]
