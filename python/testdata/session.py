"""Use the module on a capture as a notebook would, and print what it said, as JSON.

Arguments are the capture and the directory for the dataset, in which a stranger then
changes files.
"""
import json
import os
import sys
from pathlib import Path

import tracelake

capture, out = map(Path, sys.argv[1:])
run = tracelake.export(capture, out, "--task", "1=first", elf=[capture / "sample.elf"], level="blocks")
run = tracelake.export(capture, out, "--overwrite", elf=capture / "sample.elf")

(out / "views.sql").write_text(f"COPY (SELECT 1) TO '{out.parent}/stranger.csv';")
outside = out.parent / "outside.txt"
outside.write_text("not for queries")
rows = tracelake.open(out).sql("""
    SELECT dataset, instructions::INTEGER,
           (SELECT caller_name FROM call_edges ORDER BY calls DESC LIMIT 1) AS caller FROM summary
""").fetchall()
assert not (out.parent / "stranger.csv").exists(), "the dataset's own script was executed"

refused = {}
for query in [
    f"COPY (SELECT 1) TO '{out.parent}/x.csv'", f"ATTACH '{out.parent}/x.db'", f"FROM read_text('{outside}')",
    "SET enable_external_access = true", "SET lock_configuration = false",
]:
    try:
        tracelake.open(out).sql(query)
    except Exception as wrong:
        refused[query] = str(wrong)


def change(name, text):
    dir = out.parent / name
    dir.mkdir()
    (dir / "manifest.json").write_text(text)
    return dir


def without_command():
    path = os.environ.pop("PATH")
    try:
        run.report("trust")
    finally:
        os.environ["PATH"] = path


errors = {}
for name, call in {
    "no capture": lambda: tracelake.export("nothing-here", "x"),
    "a flag": lambda: tracelake.export(capture, "x", level="all"),
    "stdin": lambda: tracelake.export("-", "x", "--protocol=pft"),
    "a report": lambda: run.report("nothing"),
    "a table": lambda: run.table("nothing"),
    "an outsider": lambda: run.table("../counts"),
    "no dataset": lambda: tracelake.open(capture),
    "a version": lambda: tracelake.open(change("later", '{"schema_version": 99, "tables": {}}')),
    "a manifest": lambda: tracelake.open(change("odd", '{"schema_version": 3, "tables": [1]}')),
    "no command": without_command,
}.items():
    try:
        call()
    except tracelake.TracelakeError as wrong:
        errors[name] = f"{wrong.status}: {wrong}"

table = run.table("counts")
print(json.dumps({
    "rows": rows,
    "counts": {
        type(table).__name__: table.num_rows, "manifest": run.tables["counts"],
        **{kind: len(run.table("counts", kind)) for kind in ("polars", "pandas")},
    },
    "covered": run.report("coverage", "--by", "file")["instructions"]["count"],
    "verdict": run.verdict, "html": run._repr_html_(), "refused": refused, "errors": errors,
}))
