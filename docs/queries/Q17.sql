-- How regular is each exception: the time from one entry to the next?
-- In cycles if the entries have them, else in ticks of the timestamps, else in instructions. A pair with a gap or a loss in between does not count.
WITH breaks AS (
  SELECT dataset, source, seq FROM events WHERE event IN ('trace_on', 'overflow', 'debug_exit')
  UNION SELECT dataset, source, seq FROM losses),
e AS (
  SELECT x.*, b.seq AS since FROM exceptions x ASOF LEFT JOIN breaks b ON b.dataset = x.dataset AND b.source = x.source AND b.seq <= x.seq
  WHERE x.event = 'entry'),
p AS (
  SELECT dataset, source, type, number, CASE WHEN lag(epoch) OVER w = epoch THEN cycle - lag(cycle) OVER w END AS cycles,
         timestamp - lag(timestamp) OVER w AS ticks, seq - lag(seq) OVER w AS instructions
  FROM e WINDOW w AS (PARTITION BY dataset, source, type, number, since ORDER BY ordinal)),
u AS (
  SELECT *, CASE WHEN count(instructions) OVER k = 0 THEN NULL WHEN count(cycles) OVER k = count(instructions) OVER k THEN 'cycles' WHEN count(ticks) OVER k = count(instructions) OVER k THEN 'ticks' ELSE 'instructions' END AS unit,
         CASE unit WHEN 'cycles' THEN cycles WHEN 'ticks' THEN ticks ELSE instructions END AS period
  FROM p WINDOW k AS (PARTITION BY dataset, source, type, number))
SELECT dataset, source, type, number, unit, count(period) AS periods, min(period) AS shortest, quantile_disc(period, 0.5) AS median,
       quantile_disc(period, 0.99) AS p99, max(period) AS longest
FROM u GROUP BY dataset, source, type, number, unit ORDER BY dataset, source, periods DESC, type, number;

-- Answer of sample, 5 rows:
-- dataset | source | type | number | unit | periods | shortest | median | p99 | longest
-- sample | 16 | irq | 14 | cycles | 51 | 5896 | 7820 | 10289 | 10289
-- sample | 16 | svc | 10 | cycles | 19 | 345 | 14185 | 115179 | 115179
-- sample | 16 | undefined | 9 | cycles | 7 | 493 | 23890 | 31069 | 31069
-- sample | 16 | data_abort | 12 | cycles | 3 | 24383 | 31349 | 31591 | 31591
-- sample | 16 | prefetch_abort | 11 | cycles | 3 | 24383 | 31349 | 31591 | 31591
