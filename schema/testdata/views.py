"""Load views.sql in DuckDB and run queries: a line of JSON per query, its rows in words."""
import json
import os
import sys

import duckdb

job = json.loads(sys.argv[1])
os.chdir(job["directory"])
connection = duckdb.connect()
if job["datasets"]:
    connection.execute("SET VARIABLE tracelake_dirs = ?", [job["datasets"]])
with open(job["views"]) as f:
    connection.execute(f.read())


def words(value):
    if value is None:
        return "NULL"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).lower() if isinstance(value, bool) else str(value)


for query in job["queries"]:
    rows = connection.execute(query).fetchall()
    print(json.dumps([[words(v) for v in row] for row in rows]))
