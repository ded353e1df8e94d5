-- How many exceptions came per second?
-- Parameter: cycle_hz, the clock of the core, where export was not given it. Without cycles the time is that between the first timestamp and the last.
WITH t AS (
  SELECT s.dataset, s.source, coalesce(c.cycles / coalesce(s.cycle_hz, getvariable('cycle_hz')), m.seconds) AS seconds
  FROM sources s LEFT JOIN (SELECT dataset, source, sum(cycles) AS cycles FROM epochs GROUP BY ALL) c USING (dataset, source)
  LEFT JOIN summary m USING (dataset, source))
SELECT e.dataset, e.source, e.type, e.number, count(*) AS entries, round(count(*) / nullif(t.seconds, 0), 1) AS per_second
FROM exceptions e JOIN t USING (dataset, source) WHERE e.event = 'entry'
GROUP BY e.dataset, e.source, e.type, e.number, t.seconds ORDER BY e.dataset, e.source, entries DESC, e.type, e.number;

-- Answer of sample, 5 rows:
-- dataset | source | type | number | entries | per_second
-- sample | 16 | irq | 14 | 52 | 118321.7
-- sample | 16 | svc | 10 | 20 | 45508.3
-- sample | 16 | undefined | 9 | 8 | 18203.3
-- sample | 16 | data_abort | 12 | 4 | 9101.7
-- sample | 16 | prefetch_abort | 11 | 4 | 9101.7
