-- How long did calls of one function take?
-- Parameter: function_name, by default the one that was called longest in all, where calls within a call of the same function count once. With what it called, without exceptions and other tasks: in cycles if the trace has them, else in instructions.
WITH RECURSIVE frames AS ( -- which functions were called on each path, from its root or the exception that it handles
  SELECT dataset, source, stack, address, []::BIGINT[] AS path, false AS again FROM stacks WHERE parent IS NULL
  UNION ALL
  SELECT s.dataset, s.source, s.stack, s.address, CASE s.entry WHEN 'exception' THEN [] WHEN 'call' THEN list_append(f.path, s.address) ELSE f.path END,
         list_contains(f.path, s.address)
  FROM frames f JOIN stacks s ON s.dataset = f.dataset AND s.source = f.source AND s.parent = f.stack),
c AS (
  SELECT p.name, s.again, c.dataset, c.source, c.seq, CASE WHEN c.cycles IS NOT NULL THEN 'cycles' ELSE 'instructions' END AS unit, coalesce(c.cycles, c.instructions) AS duration
  FROM calls c JOIN frames s USING (dataset, source, stack) JOIN places p ON p.dataset = s.dataset AND p.source = s.source AND p.address = s.address
  WHERE c."end" = 'return'),
longest AS (SELECT name FROM c WHERE name IS NOT NULL AND NOT again GROUP BY name ORDER BY sum(duration) DESC, name LIMIT 1)
SELECT name, count(*) AS calls, unit, min(duration) AS shortest, quantile_disc(duration, 0.5) AS median, quantile_disc(duration, 0.99) AS p99, max(duration) AS longest,
       first(seq ORDER BY duration DESC, dataset, source, seq) AS worst_seq
FROM c WHERE name = coalesce(getvariable('function_name'), (FROM longest)) GROUP BY name, unit ORDER BY name, unit;

-- Answer of sample, 1 row:
-- name | calls | unit | shortest | median | p99 | longest | worst_seq
-- quicksort | 120 | cycles | 35 | 718 | 49482 | 67554 | 176716
