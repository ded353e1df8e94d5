"""Read datasets with one engine: engines.py ENGINE DIR...

Prints a line of JSON for the engine's version, then one per dataset: for each
table its columns (name, type as the engine calls it) and its rows, as text.
"""
import glob
import importlib.metadata
import json
import os
import sys
import tempfile


def text(value):
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex()
    return str(value)


def from_arrow(table):
    """The columns and values of a pyarrow table."""
    columns = [[f.name, str(f.type)] for f in table.schema]
    return columns, list(zip(*(c.to_pylist() for c in table.columns)))


def duckdb(files, kind):
    import duckdb
    import pyarrow.dataset

    if kind == "arrow":
        stored = pyarrow.dataset.dataset(files, format="ipc")
        relation = duckdb.from_arrow(stored)
    else:
        relation = duckdb.read_parquet(files)
    return [[n, str(t)] for n, t in zip(relation.columns, relation.types)], relation.fetchall()


def polars(files, kind):
    import polars

    read = polars.read_ipc if kind == "arrow" else polars.read_parquet
    frame = polars.concat([read(f) for f in files])
    # a categorical type is named by its category set, which is no part of it
    return [[n, str(t).split("(")[0]] for n, t in frame.schema.items()], frame.rows()


def pandas(files, kind):
    import pandas

    read = pandas.read_feather if kind == "arrow" else pandas.read_parquet
    frame = pandas.concat([read(f, dtype_backend="pyarrow") for f in files])
    columns = [[str(n), str(t)] for n, t in frame.dtypes.items()]
    values = [[None if v is pandas.NA else v for v in frame[n].array.astype(object)] for n, _ in columns]
    return columns, list(zip(*values))


def pyarrow(files, kind):
    import pyarrow.dataset

    return from_arrow(pyarrow.dataset.dataset(files, format="ipc" if kind == "arrow" else "parquet").to_table())


def pyiceberg(files, kind):
    import pyarrow.parquet
    from pyiceberg.catalog.sql import SqlCatalog

    with tempfile.TemporaryDirectory() as warehouse:
        catalog = SqlCatalog("local", uri="sqlite:///" + warehouse + "/catalog.db", warehouse="file://" + warehouse)
        catalog.create_namespace("trace")
        table = catalog.create_table("trace.t", schema=pyarrow.parquet.read_schema(files[0]))
        table.add_files(files)
        columns = [[f.name, str(f.field_type)] for f in table.schema().fields]
        return columns, from_arrow(table.scan().to_arrow())[1]


def datafusion(files, kind):
    import datafusion
    import pyarrow as pa
    import pyarrow.dataset

    context = datafusion.SessionContext()
    if kind == "arrow":
        context.register_dataset("t", pyarrow.dataset.dataset(files, format="ipc"))
    else:
        context.register_parquet("t", os.path.dirname(files[0]))
    return from_arrow(pa.Table.from_batches(context.table("t").collect(), schema=context.table("t").schema()))


def chdb(files, kind):
    import chdb

    source = "file('%s', '%s')" % (os.path.join(os.path.dirname(files[0]), "*." + kind), kind.capitalize())
    described = json.loads(str(chdb.query("DESCRIBE " + source, "JSONCompact")))["data"]
    columns = [[d[0], d[1]] for d in described]
    select = ", ".join("lower(hex(bytes))" if n == "bytes" and "String" in t else n for n, t in columns)
    text = str(chdb.query("SELECT %s FROM %s" % (select, source), "JSONCompact"))
    data = json.loads(text, parse_int=lambda n: -0.0 if n == "-0" else int(n))["data"]
    return columns, data


engine, dirs = sys.argv[1], sys.argv[2:]
read = globals()[engine]
print(json.dumps({"version": importlib.metadata.version(engine)}))
for dir in dirs:
    tables = {}
    for folder in sorted(glob.glob(dir + "/*/")):
        files = sorted(glob.glob(folder + "*"))
        columns, rows = read(files, files[0].rsplit(".")[-1])
        tables[os.path.basename(folder[:-1])] = {"columns": columns, "rows": [[text(v) for v in row] for row in rows]}
    print(json.dumps(tables))
