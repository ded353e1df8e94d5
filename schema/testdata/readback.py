"""Read Parquet and Arrow files and print what is in them: a line of JSON per file.

For each reader (pyarrow; duckdb too for Parquet): column names, types, and the
values in words, None for NULL. For pyarrow also descriptions and metadata.
"""
import json
import sys

import duckdb
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet


def words(value):
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode()
    return str(value)


def from_pyarrow(path):
    if path.endswith(".arrow"):
        with pa.memory_map(path) as f:
            table = pa.ipc.open_file(f).read_all()
    else:
        # one file, not a data set of it: no partition columns from its path
        table = pa.parquet.ParquetFile(path).read()
    table.validate(full=True)
    metadata = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
    fields = [
        {
            "name": f.name,
            "type": str(f.type),
            "nullable": f.nullable,
            "metadata": {k.decode(): v.decode() for k, v in (f.metadata or {}).items()},
        }
        for f in table.schema
    ]
    values = {n: [words(v) for v in table[n].to_pylist()] for n in table.column_names}
    return {"fields": fields, "metadata": metadata, "rows": table.num_rows, "values": values}


def from_duckdb(path):
    relation = duckdb.read_parquet(path)
    fields = [{"name": n, "type": str(t)} for n, t in zip(relation.columns, relation.types)]
    rows = relation.fetchall()
    values = {n: [words(row[i]) for row in rows] for i, n in enumerate(relation.columns)}
    return {"fields": fields, "rows": len(rows), "values": values}


for path in sys.argv[1:]:
    out = {"pyarrow": from_pyarrow(path)}
    if path.endswith(".parquet"):
        out["duckdb"] = from_duckdb(path)
    print(json.dumps(out))
