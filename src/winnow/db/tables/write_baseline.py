"""Writes the tables of the models as SQL into the baseline: `make baseline`. Until the first release, then it goes."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from sqlalchemy import Table as SqlTable
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import AddConstraint, CreateIndex, CreateTable, ExecutableDDLElement, ForeignKeyConstraint

from winnow.db import baseline
from winnow.db.tables import Table
from winnow.db.tables.objects import metadata

HEADER = "-- Written from the models of db/tables/ by `make baseline`; change those.\n"


def render() -> dict[str, str]:
    """Path below the baseline's folder -> text: one file per module of models, and one of all foreign keys.

    Apart from each other, because a foreign key needs both tables and neither module comes first.
    """
    module_of = {mapper.class_.__tablename__: mapper.class_.__module__ for mapper in Table.registry.mappers}
    files: defaultdict[str, list[str]] = defaultdict(list)
    for table in sorted(metadata.tables.values(), key=lambda table: table.name):
        subject = module_of[table.name].rpartition(".")[2]
        files[f"{baseline.TABLES}/{subject}.sql"].append(_table(table))
        if keys := _foreign_keys(table):
            files[baseline.FOREIGN_KEYS].append(keys)
    return {path: HEADER + "\n" + "\n".join(parts) for path, parts in files.items()}


def _table(table: SqlTable) -> str:
    created = CreateTable(table, include_foreign_key_constraints=[])
    indexes = sorted(table.indexes, key=lambda index: str(index.name))
    return _compile(created) + "".join(_compile(CreateIndex(index)) for index in indexes)


def _foreign_keys(table: SqlTable) -> str:
    keys = [one for one in table.constraints if isinstance(one, ForeignKeyConstraint)]
    return "".join(_compile(AddConstraint(key)) for key in sorted(keys, key=lambda key: str(key.name)))


def _compile(statement: ExecutableDDLElement) -> str:
    lines = str(statement.compile(dialect=postgresql.dialect())).strip().splitlines()  # type: ignore[no-untyped-call]
    return "\n".join(line.rstrip().replace("\t", "    ") for line in lines) + ";\n"


def write(folder: Path = baseline.FOLDER) -> None:
    files = render()
    for stale in (folder / baseline.TABLES).glob("*.sql"):
        stale.unlink()
    (folder / baseline.TABLES).mkdir(exist_ok=True)
    for path, text in files.items():
        (folder / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
