-- What does one run execute that another never did?
-- Parameters: dataset_a, by default the first, and dataset_b, by default the last. Both have to be of one build: addresses are compared.
WITH d AS (
  SELECT coalesce(getvariable('dataset_a'), min(dataset)) AS a, coalesce(getvariable('dataset_b'), max(dataset)) AS b FROM sources),
ran AS (
  SELECT dataset, build, address, isa, sum(executed + unknown)::BIGINT AS n
  FROM counts JOIN builds USING (dataset) GROUP BY ALL HAVING n > 0),
new AS (
  SELECT b.build, b.address, b.n FROM ran b, d
  WHERE b.dataset = d.b AND EXISTS (FROM builds x WHERE x.dataset = d.a AND x.build = b.build)
    AND NOT EXISTS (FROM ran a WHERE a.dataset = d.a AND a.address = b.address AND a.isa = b.isa))
SELECT p.name, count(*) AS new_instructions, max(new.n) AS executions,
       array_to_string(list_sort(list(DISTINCT p.line)), ' ') AS new_lines
FROM new JOIN program p USING (build, address) GROUP BY p.function, p.name ORDER BY new_instructions DESC, p.name;

-- Answer of sample and synth, 3 rows:
-- name | new_instructions | executions | new_lines
-- power_off | 3 | 1772 | 115 116 117
-- kernel_irq | 1 | 27 | 114
-- unexpected | 1 | 395 | 107
