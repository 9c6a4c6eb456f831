"""Where the database is, and where everything else Winnow keeps on this machine lives."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings

from winnow.environment import environment


class DatabaseSettings(BaseSettings):
    model_config = environment("WINNOW_")

    database_url: str | None = Field(
        None, description="Your own PostgreSQL (15 or newer). Unset: a private server in the data folder."
    )
    data_dir: Path = Field(
        Path("~/.local/share/winnow"), description="Folder for the private server, archived pages and keys."
    )
    database_pool_size: int = Field(8, ge=2, le=200, description="Connections a process may hold.")
    database_wait_seconds: float = Field(
        60.0,
        ge=0,
        description="How long a process waits for a database that is away before it gives up a step.",
    )

    credential_key: SecretStr | None = Field(
        None,
        validation_alias="CREDENTIAL_ENCRYPTION_KEY_B64",
        description="Key that seals stored passwords, 32 bytes in base64 (F-097). Unset: made in the data folder.",
    )
    credential_old_keys: SecretStr | None = Field(
        None,
        validation_alias="CREDENTIAL_ENCRYPTION_OLD_KEYS_B64",
        description="Earlier keys, comma separated: they still open what they sealed.",
    )

    @property
    def older_keys(self) -> tuple[str, ...]:
        given = self.credential_old_keys.get_secret_value() if self.credential_old_keys else ""
        return tuple(part.strip() for part in given.split(",") if part.strip())

    @property
    def folder(self) -> Path:
        return self.data_dir.expanduser().resolve()
