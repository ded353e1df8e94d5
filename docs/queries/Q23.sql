-- Which functions became slower or faster, per entry?
-- Parameters: dataset_a, by default the first, and dataset_b, by default the last. The cost is in cycles if both runs have them for the function, else in instructions.
WITH d AS (
  SELECT coalesce(getvariable('dataset_a'), min(dataset)) AS a, coalesce(getvariable('dataset_b'), max(dataset)) AS b FROM sources),
f AS (
  SELECT c.dataset, p.build, p.core, p.function, p.name, sum(c.executed + c.failed + c.unknown) AS instructions, sum(c.cycles_spread) AS cycles,
         sum(c.executed + c.unknown) FILTER (c.address = x.address) AS entries
  FROM counts c JOIN places p USING (dataset, source, address, isa)
  JOIN functions x ON x.dataset = p.dataset AND x.core IS NOT DISTINCT FROM p.core AND x.function = p.function
  GROUP BY c.dataset, p.build, p.core, p.function, p.name),
cost AS (
  SELECT a.name, a.function, CASE WHEN a.cycles IS NOT NULL AND b.cycles IS NOT NULL THEN 'cycles' ELSE 'instructions' END AS unit,
         CASE WHEN unit = 'cycles' THEN a.cycles ELSE a.instructions END / nullif(a.entries, 0) AS each_a,
         CASE WHEN unit = 'cycles' THEN b.cycles ELSE b.instructions END / nullif(b.entries, 0) AS each_b
  FROM f a JOIN d ON d.a = a.dataset JOIN f b ON b.dataset = d.b AND b.build = a.build AND b.core IS NOT DISTINCT FROM a.core AND b.function = a.function)
SELECT name, unit, round(each_a, 1) AS each_a, round(each_b, 1) AS each_b, round(100 * (each_b / each_a - 1), 1) AS change_pct
FROM cost WHERE each_a IS NOT NULL AND each_b IS NOT NULL ORDER BY abs(change_pct) DESC, name, function;

-- Answer of sample and synth, 22 rows:
-- name | unit | each_a | each_b | change_pct
-- _start | cycles | 14319 | 177 | -98.8
-- checksum_task | cycles | 35822 | 784.5 | -97.8
-- crc32.constprop.0 | cycles | 3656.2 | 97.3 | -97.3
-- matrix_task | cycles | 6235 | 248 | -96
-- collatz | cycles | 475.4 | 79 | -83.4
-- quicksort | cycles | 893.5 | 214 | -76
-- multiply.constprop.0 | cycles | 6887.2 | 2710 | -60.7
-- prefetch_abort_entry | cycles | 19 | 28.7 | 50.9
-- …
