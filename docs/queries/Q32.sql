-- How long did calls of one function take?
-- Parameter: function_name, by default the one that was called longest in all. With what it called, without exceptions and other tasks: in cycles if the trace has them, else in instructions.
WITH c AS (
  SELECT p.name, c.dataset, c.source, c.seq, CASE WHEN c.cycles IS NOT NULL THEN 'cycles' ELSE 'instructions' END AS unit, coalesce(c.cycles, c.instructions) AS duration
  FROM calls c JOIN stacks s USING (dataset, source, stack) JOIN places p ON p.dataset = s.dataset AND p.source = s.source AND p.address = s.address
  WHERE c."end" = 'return'),
longest AS (SELECT name FROM c WHERE name IS NOT NULL GROUP BY name ORDER BY sum(duration) DESC, name LIMIT 1)
SELECT name, count(*) AS calls, unit, min(duration) AS shortest, quantile_disc(duration, 0.5) AS median, quantile_disc(duration, 0.99) AS p99, max(duration) AS longest,
       first(seq ORDER BY duration DESC, dataset, source, seq) AS worst_seq
FROM c WHERE name = coalesce(getvariable('function_name'), (FROM longest)) GROUP BY name, unit ORDER BY name, unit;

-- Answer of sample, 1 row:
-- name | calls | unit | shortest | median | p99 | longest | worst_seq
-- quicksort | 120 | cycles | 35 | 718 | 49482 | 67554 | 176716
