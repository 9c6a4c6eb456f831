"""Pictures of products as they were kept, for whoever is logged in. They never run (`SAFE`)."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from winnow.actions.pages import kept_image
from winnow.actions.parts import Parts
from winnow.console.gate import session_of
from winnow.console.urls import ROOT, href
from winnow.errors import WinnowError
from winnow.fetch.archive.archive import Archive

PATH = f"{ROOT}/images/{{image_id}}"
SAFE = {
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cache-Control": "private, max-age=3600",
    "X-Content-Type-Options": "nosniff",
}
_MAX_DIGITS = 18


def picture_path(image_id: int) -> str:
    return href(f"/images/{image_id}")


class Pictures:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def answer(self, request: Request) -> Response:
        if session_of(request).must_change_password:
            return RedirectResponse(href("/account"), 303)
        given = request.path_params["image_id"]
        if not (given.isascii() and given.isdigit()) or len(given) > _MAX_DIGITS:
            return PlainTextResponse("there is no such picture", 404)
        settings = self._parts.settings
        archive = Archive(settings.fetch.archive_url, settings.db.folder / "pages")
        try:
            image = await kept_image(self._parts.database, archive, int(given))
        except WinnowError as missing:
            return PlainTextResponse(str(missing), 404)
        finally:
            archive.close()
        return Response(image.body, media_type=image.content_type, headers=SAFE)
