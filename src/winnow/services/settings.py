"""Settings of outside services. A service without an address is off."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings

from winnow.environment import environment


class ServiceSettings(BaseSettings):
    model_config = environment("WINNOW_")

    llm_url: str | None = Field(
        None,
        description="Address of a language model's API, such as https://api.openai.com/v1 or "
        "https://generativelanguage.googleapis.com/v1beta. Unset: rules do everything (E-064).",
    )
    llm_api: Literal["openai", "gemini"] = Field("openai", description="Which of the two protocols it speaks.")
    llm_key: SecretStr | None = Field(None, description="Its key; a model on this machine may need none.")
    llm_model: str | None = Field(None, description="The model to ask, needed with WINNOW_LLM_URL.")
    llm_timeout_seconds: float = Field(60.0, gt=0, le=600, description="Longest wait for one answer of the model.")
    llm_batch: int = Field(
        10, ge=1, le=100, description="Questions in one request to the model; smaller when its quota is short (E-123)."
    )
    llm_requests_per_day: int = Field(
        1_000, ge=0, description="Requests to the model in 24 hours; when they are spent, rules go on alone (E-083)."
    )
    llm_tokens_per_day: int = Field(
        1_000_000, ge=0, description="Tokens, sent and received, after which the model is not asked for the day."
    )
    geocoder_url: str | None = Field(
        None,
        description="Address of a Nominatim-compatible geocoder, such as https://nominatim.example.com/search. Unset: "
        "places are located offline only, and Dutch ones alone (E-062).",
    )
    geocoder_timeout_seconds: float = Field(10.0, gt=0, le=120, description="Longest wait for one of its answers.")
    geocoder_requests_per_day: int = Field(10_000, ge=0, description="Requests to the geocoder in 24 hours.")
    embeddings_url: str | None = Field(
        None,
        description="Address of an OpenAI-compatible embedding API, such as https://api.openai.com/v1. Unset: the "
        "offline model, where it is installed (`pip install 'winnow[embeddings]'`), else words alone.",
    )
    embeddings_key: SecretStr | None = Field(None, description="Its key.")
    embeddings_model: str | None = Field(None, description="The embedding model, needed with WINNOW_EMBEDDINGS_URL.")
    embeddings_timeout_seconds: float = Field(30.0, gt=0, le=600, description="Longest wait for one of its answers.")
    embeddings_requests_per_day: int = Field(10_000, ge=0, description="Requests to the embedding API in 24 hours.")

    web_search_url: str | None = Field(
        None,
        description="Address of a Serper-compatible web search, such as https://google.serper.dev/search. Unset: event "
        "sources are discovered from seeds, sitemaps and links alone (E-015).",
    )
    web_search_key: SecretStr | None = Field(None, description="Its key.")
    web_search_timeout_seconds: float = Field(15.0, gt=0, le=120, description="Longest wait for one of its answers.")
    web_search_requests_per_day: int = Field(
        500, ge=0, description="Searches in 24 hours; a municipality takes five. When they are spent the rest waits."
    )

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.llm_url and not self.llm_model:
            raise ValueError("WINNOW_LLM_MODEL is needed with WINNOW_LLM_URL")
        if self.embeddings_url and not self.embeddings_model:
            raise ValueError("WINNOW_EMBEDDINGS_MODEL is needed with WINNOW_EMBEDDINGS_URL")
        for name in ("llm_url", "geocoder_url", "embeddings_url", "web_search_url"):
            _check_address(f"WINNOW_{name.upper()}", getattr(self, name))
        return self


def _check_address(name: str, url: str | None) -> None:
    """Keys, and texts of pages, are sent over https, or to this machine."""
    if url is None:
        return
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_here(parts.hostname or "")):
        raise ValueError(f"{name} has to be https (http only on this machine)")
    if not parts.hostname or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError(f"{name} is a plain address such as https://api.example.com/v1")


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
