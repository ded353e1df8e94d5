-- Which tests reach a function?
-- Parameter: function_name; by default the one with the fewest entries. The label test of a dataset names the test, else the dataset does.
WITH rare AS (SELECT name FROM coverage_functions WHERE entries > 0 ORDER BY entries, address LIMIT 1)
SELECT p.name, coalesce(r.test, r.dataset) AS test, sum(c.executed + c.unknown)::BIGINT AS executions
FROM counts c JOIN places p USING (dataset, source, address, isa) JOIN runs r USING (dataset)
WHERE p.name = coalesce(getvariable('function_name'), (SELECT name FROM rare))
GROUP BY p.build, p.core, p.function, p.name, coalesce(r.test, r.dataset) HAVING executions > 0 ORDER BY executions DESC, test;

-- Answer of sample and synth, 1 row:
-- name | test | executions
-- sort_task | tasks | 6257
