"""Decode Arm CoreSight captures into datasets, and ask these.

    import tracelake

    run = tracelake.export("capture", "run1", elf="firmware.elf")
    run.sql("SELECT name, instructions FROM hot_functions ORDER BY instructions DESC LIMIT 10")
    run.table("counts", "polars")
    run.report("coverage", "--by", "function")

The module needs nothing but the command tracelake, which its wheel brings. DuckDB
(for sql), PyArrow (for table), Polars and pandas are taken where they are installed.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Union

if TYPE_CHECKING:
    import duckdb

__all__ = ["Dataset", "TracelakeError", "export", "open", "program"]

_Path = Union[str, "os.PathLike[str]"]


class TracelakeError(Exception):
    """What the command said when it failed. status is its exit status, None if it did not run."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


def program() -> str:
    """Return the path of the command: that of this Python, else the one on the PATH."""
    user = sysconfig.get_preferred_scheme("user")
    beside = Path(__file__).parent.parent / "bin"  # of pip install --target
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", user), str(beside), os.environ.get("PATH")]
    found = shutil.which("tracelake", path=os.pathsep.join(filter(None, folders)))
    if not found:
        raise TracelakeError("the command tracelake is not on the PATH; pip install tracelake brings it")
    return found


def export(
    capture: _Path, out: _Path, *flags: str, elf: _Path | Iterable[_Path] = (), level: str | None = None
) -> Dataset:
    """Decode a capture into a dataset, and open that.

    elf names the files of the program that ran. level is instructions, blocks or none. flags are
    others of the command, as "--overwrite".
    """
    args = ["export", _operand(capture), f"--output={os.fspath(out)}", "--quiet", *flags]
    if isinstance(elf, (str, os.PathLike)):
        elf = [elf]
    args += [f"--elf={os.fspath(e)}" for e in elf]
    if level is not None:
        args.append(f"--level={level}")
    _run(args)
    return Dataset(out)


def open(dir: _Path) -> Dataset:
    """Open a dataset that export wrote."""
    return Dataset(dir)


class Dataset:
    """A dataset: its path, what its manifest says, and its tables.

    Nothing that its files say is executed: the views of sql are those of this module, and queries
    read no other files.
    """

    def __init__(self, dir: _Path) -> None:
        self.path = Path(os.path.abspath(dir))
        try:
            self.manifest: dict[str, Any] = json.loads((self.path / "manifest.json").read_bytes())
            self.tables: dict[str, int] = {name: int(t["rows"]) for name, t in self.manifest["tables"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as wrong:
            raise TracelakeError(f"{dir}: is no dataset ({wrong!r}); give a directory that export wrote") from wrong
        oldest, newest = _views()["oldest_version"], _views()["schema_version"]
        self._version = self.manifest.get("schema_version")
        if self._version not in range(oldest, newest + 1):
            raise TracelakeError(
                f"{dir}: is not of schema version {oldest} to {newest}; export it again, with this tracelake"
            )
        self._db: duckdb.DuckDBPyConnection | None = None

    def sql(self, query: str) -> duckdb.DuckDBPyRelation:
        """Ask DuckDB, which has the views and macros of docs/tables.md. .df(), .pl() or .arrow() convert the answer."""
        if self._db is None:
            self._db = self._connect()
        return self._db.sql(query)

    def table(self, name: str, kind: Literal["arrow", "polars", "pandas"] = "arrow") -> Any:
        """Read all rows of a table: pyarrow.Table, or DataFrame of Polars or pandas."""
        if name not in self.tables or not name.isidentifier():
            raise TracelakeError(f"{self.path}: has no table {name!r}; it has {', '.join(self.tables)}")
        if kind not in ("arrow", "polars", "pandas"):
            raise TracelakeError(f"{kind!r}: is no kind of table; kinds are arrow, polars and pandas")
        files = sorted((self.path / name).glob("*." + self._format))
        if kind == "polars":
            import polars

            scan = polars.scan_parquet if self._format == "parquet" else polars.scan_ipc
            return scan(files, glob=False).collect()
        import pyarrow.dataset

        table = pyarrow.dataset.dataset(files, format=self._format).to_table()
        return table.to_pandas() if kind == "pandas" else table

    def report(self, name: str, *flags: str) -> dict[str, Any]:
        """Return what `tracelake report NAME --json` prints; flags are its others."""
        found: dict[str, Any] = json.loads(_run(["report", name, str(self.path), "--json", *flags]))
        return found

    @property
    def verdict(self) -> str:
        """How far figures can be trusted, in the words of the command."""
        if "verdict" in self.manifest:
            return str(self.manifest["verdict"])
        said = self.report("trust", "--force")
        return str(said.get("verdict") or said["trust"]["verdict"])

    def __repr__(self) -> str:
        return f"tracelake.open({str(self.path)!r})"

    def _repr_html_(self) -> str:
        totals = self.manifest.get("totals", {})
        counts = [f"{totals.get(key, 0):,} {key}" for key in ("instructions", "exceptions", "gaps")]
        rows = "".join(f"<tr><td>{html.escape(name)}</td><td>{rows:,}</td></tr>" for name, rows in self.tables.items())
        head = f"<b>{html.escape(self.path.name)}: {html.escape(self.verdict)}</b>, {', '.join(counts)}"
        return f"<p>{head}</p><table><tr><th>table</th><th>rows</th></tr>{rows}</table>"

    @property
    def _format(self) -> str:
        return "parquet" if self.manifest.get("format") == "parquet" else "arrow"

    def _connect(self) -> duckdb.DuckDBPyConnection:
        """Make the views, then lock DuckDB up in the dataset."""
        if self._format != "parquet":
            raise TracelakeError(f"{self.path}: has Arrow files, which DuckDB does not read; ask table()")
        path = self.path.as_posix()
        if "\\" in path:
            raise TracelakeError(f"{path}: DuckDB takes the \\ in the name for a separator; rename it")
        import duckdb

        pattern = re.sub(r"[*?\[]", r"[\g<0>]", path)  # which only that path matches
        db = duckdb.connect()
        db.execute("SET VARIABLE tracelake_dirs = [$dir]", {"dir": pattern})
        db.execute(_script(self.tables, self._version))
        names = ", ".join("'" + name.replace("'", "''") + "'" for name in (path, pattern))
        db.execute(f"SET allowed_directories = [{names}]")
        db.execute("SET enable_external_access = false; SET lock_configuration = true")
        return db


def _views() -> dict[str, Any]:
    """Return what `go generate` wrote of the program's views."""
    views: dict[str, Any] = json.loads(Path(__file__).with_name("views.json").read_bytes())
    return views


def _script(tables: Iterable[str], version: int) -> str:
    """Return the views of a dataset of these tables and schema version, as the program makes them."""
    has = set(tables)
    parts = (p for p in _views()["parts"] if has.issuperset(p.get("with", ())) and has.isdisjoint(p.get("without", ())))
    return "".join(line for p in parts if p.get("version", version) == version for line in p["lines"])


def _operand(path: _Path) -> str:
    """Return a path that is not taken for a flag, or for standard input."""
    text = os.fspath(path)
    return "./" + text if text.startswith("-") else text


def _run(args: list[str]) -> str:
    """Return what the command prints."""
    command = [program(), *args]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace")
    if done.returncode:
        lines = [line.removeprefix("tracelake: ") for line in done.stderr.strip().splitlines()]
        raise TracelakeError("\n".join(lines) or f"tracelake {args[0]} ended", done.returncode)
    return done.stdout
