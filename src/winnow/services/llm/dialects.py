"""How the two protocols write a question and a reply: OpenAI's chat completions and Gemini's generateContent. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from winnow.errors import ServiceFailed, Trouble


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    text: str
    tokens: int = 0


class Dialect(Protocol):
    def address(self, url: str, model: str) -> str: ...

    def headers(self, key: str | None) -> dict[str, str]: ...

    def body(self, model: str, system: str, user: str) -> dict[str, Any]: ...

    def reply(self, answer: Any) -> Reply: ...


class OpenAi:
    def address(self, url: str, model: str) -> str:
        return f"{url.rstrip('/')}/chat/completions"

    def headers(self, key: str | None) -> dict[str, str]:
        return {} if key is None else {"Authorization": f"Bearer {key}"}

    def body(self, model: str, system: str, user: str) -> dict[str, Any]:
        return {
            "model": model,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
            "response_format": {"type": "json_object"},
            "temperature": 0,
        }

    def reply(self, answer: Any) -> Reply:
        text = _dig(answer, "choices", 0, "message", "content")
        return Reply(text=_text(text), tokens=_count(_dig(answer, "usage", "total_tokens")))


class Gemini:
    def address(self, url: str, model: str) -> str:
        return f"{url.rstrip('/')}/models/{model.removeprefix('models/')}:generateContent"

    def headers(self, key: str | None) -> dict[str, str]:
        return {} if key is None else {"x-goog-api-key": key}

    def body(self, model: str, system: str, user: str) -> dict[str, Any]:
        return {
            "systemInstruction": {"parts": [{"text": system}]},
            "contents": [{"role": "user", "parts": [{"text": user}]}],
            "generationConfig": {"responseMimeType": "application/json", "temperature": 0},
        }

    def reply(self, answer: Any) -> Reply:
        parts = _dig(answer, "candidates", 0, "content", "parts")
        texts = [part.get("text") for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
        text = "".join(one for one in texts if isinstance(one, str))
        return Reply(text=_text(text or None), tokens=_count(_dig(answer, "usageMetadata", "totalTokenCount")))


DIALECTS: Mapping[str, Dialect] = {"openai": OpenAi(), "gemini": Gemini()}


def _dig(value: Any, *path: str | int) -> Any:
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and len(value) > step:
            value = value[step]
        else:
            return None
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ServiceFailed(Trouble.NONSENSE, "its answer has no text")
    return value


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**31 else 0
