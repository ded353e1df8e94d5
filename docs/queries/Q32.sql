-- How long did calls of one function take?
-- Parameter: function_name, by default the one whose calls took longest in all, where calls within a call of the same function count once. Tail calls are calls. With what it called, without exceptions and other tasks: in cycles if the trace has them, else in instructions. Median and p99 above 63 are within 1.6 %.
WITH RECURSIVE frames AS ( -- which functions were called on each path, from its root or the exception that it handles
  SELECT dataset, source, stack, address, []::BIGINT[] AS path, false AS again FROM stacks WHERE parent IS NULL
  UNION ALL
  SELECT s.dataset, s.source, s.stack, s.address, CASE WHEN s.entry = 'exception' THEN [] WHEN s.entry IN ('call', 'tail') THEN list_append(f.path, s.address) ELSE f.path END,
         list_contains(f.path, s.address)
  FROM frames f JOIN stacks s ON s.dataset = f.dataset AND s.source = f.source AND s.parent = f.stack),
u AS (SELECT dataset, source, CASE WHEN bool_or(cycles IS NOT NULL) THEN 'cycles' ELSE 'instructions' END AS unit FROM stacks GROUP BY ALL),
c AS (
  SELECT p.name, f.again, u.unit, s.* FROM stacks s JOIN frames f USING (dataset, source, stack) JOIN u USING (dataset, source)
  JOIN places p ON p.dataset = s.dataset AND p.source = s.source AND p.address = s.address WHERE s.entry IN ('call', 'tail')),
longest AS (
  SELECT name FROM c WHERE name IS NOT NULL AND NOT again GROUP BY name ORDER BY sum(coalesce(total_cycles, total_instructions)) DESC, name LIMIT 1),
t AS (
  SELECT p.name, u.unit, t.at_least, t.at_most, sum(sum(t.calls)) OVER (PARTITION BY p.name, u.unit ORDER BY t.at_least, t.at_most) AS n, sum(sum(t.calls)) OVER (PARTITION BY p.name, u.unit) AS whole
  FROM call_times t JOIN u USING (dataset, source) JOIN places p ON p.dataset = t.dataset AND p.source = t.source AND p.address = t.address
  GROUP BY p.name, u.unit, t.at_least, t.at_most),
r AS (
  SELECT name, unit, min(at_least + (at_most - at_least) // 2) FILTER (n >= 0.5 * whole) AS median, min(at_least + (at_most - at_least) // 2) FILTER (n >= 0.99 * whole) AS p99
  FROM t GROUP BY name, unit)
SELECT c.name, sum(c.calls)::BIGINT AS calls, sum(c.not_ended)::BIGINT AS not_ended, c.unit, min(c.shortest) AS shortest, least(any_value(r.median), max(c.longest)) AS median,
       least(any_value(r.p99), max(c.longest)) AS p99, max(c.longest) AS longest, first(c.longest_seq ORDER BY c.longest DESC NULLS LAST, c.dataset, c.source, c.longest_seq) AS worst_seq
FROM c LEFT JOIN r USING (name, unit) WHERE c.name = coalesce(getvariable('function_name'), (FROM longest)) GROUP BY c.name, c.unit ORDER BY c.name, c.unit;

-- Answer of sample, 1 row:
-- name | calls | not_ended | unit | shortest | median | p99 | longest | worst_seq
-- quicksort | 120 | 0 | cycles | 35 | 711 | 49663 | 67554 | 176716
