"""Run queries in DuckDB: a line of JSON for each, its columns and rows in words.

Standard input is a list of jobs: a directory, the names of datasets in it, SQL to
run before, and the queries.
"""
import json
import os
import sys

import duckdb


def words(value):
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


for job in json.load(sys.stdin):
    os.chdir(job["directory"])
    connection = duckdb.connect()
    connection.execute("SET threads = 2")
    connection.execute("SET VARIABLE tracelake_dirs = ?", [job["datasets"]])
    with open(job["datasets"][0] + "/views.sql") as f:
        connection.execute(f.read())
    if job["before"]:
        connection.execute(job["before"])
    for query in job["queries"]:
        result = connection.execute(query)
        columns = [d[0] for d in result.description]
        print(json.dumps({"columns": columns, "rows": [[words(v) for v in row] for row in result.fetchall()]}))
