-- How often did exceptions come, and how long did they take?
-- From entry to return, or to where another task went on: in cycles if all of a kind have them, else in ticks of the timestamps, else in instructions. worst_seq is where the longest began.
WITH s AS (
  SELECT e.type, e.number, x.dataset, x.source, x.seq, x."end" IN ('gap', 'open') AS unended,
         CASE WHEN NOT unended THEN x.cycles END AS cycles, CASE WHEN NOT unended THEN x.ticks END AS ticks, CASE WHEN NOT unended THEN x.instructions END AS instructions
  FROM exception_spans x JOIN exceptions e USING (dataset, source, ordinal)),
u AS (
  SELECT *, CASE WHEN bool_and(unended) OVER k THEN NULL WHEN count(cycles) OVER k = count(*) FILTER (NOT unended) OVER k THEN 'cycles'
                 WHEN count(ticks) OVER k = count(*) FILTER (NOT unended) OVER k THEN 'ticks' ELSE 'instructions' END AS unit,
         CASE unit WHEN 'cycles' THEN cycles WHEN 'ticks' THEN ticks ELSE instructions END AS duration
  FROM s WINDOW k AS (PARTITION BY type, number))
SELECT type, number, count(*) AS entries, count(*) FILTER (unended) AS unended, unit, min(duration) AS shortest, quantile_disc(duration, 0.5) AS median,
       quantile_disc(duration, 0.99) AS p99, max(duration) AS longest, first(seq ORDER BY duration DESC, dataset, source, seq) FILTER (duration IS NOT NULL) AS worst_seq
FROM u GROUP BY type, number, unit ORDER BY entries DESC, type, number;

-- Answer of sample, 5 rows:
-- type | number | entries | unended | unit | shortest | median | p99 | longest | worst_seq
-- irq | 14 | 52 | 0 | cycles | 212 | 327 | 476 | 476 | 178844
-- svc | 10 | 20 | 1 | cycles | 211 | 296 | 560 | 560 | 82585
-- undefined | 9 | 8 | 0 | cycles | 112 | 114 | 143 | 143 | 38362
-- data_abort | 12 | 4 | 0 | cycles | 115 | 144 | 144 | 144 | 38392
-- prefetch_abort | 11 | 4 | 0 | cycles | 114 | 114 | 114 | 114 | 38376
