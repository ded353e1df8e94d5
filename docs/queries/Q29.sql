-- When did the hottest functions run, in 20 slices of equal numbers of instructions?
-- Parameter: dataset, by default the first.
WITH d AS (SELECT coalesce(getvariable('dataset'), min(dataset)) AS dataset FROM sources),
n AS (SELECT s.dataset, s.source, s.instructions FROM sources s JOIN d USING (dataset) WHERE s.instructions > 0),
slices AS (
  SELECT i.dataset, i.source, i.address, 20 * i.seq // n.instructions AS slice, count(*) AS instructions
  FROM instructions i JOIN n USING (dataset, source) GROUP BY ALL),
f AS (SELECT s.slice, p.name, s.instructions FROM slices s LEFT JOIN places p USING (dataset, source, address)),
hottest AS (SELECT name FROM f WHERE name IS NOT NULL GROUP BY name ORDER BY sum(instructions) DESC, name LIMIT 4)
PIVOT (SELECT slice, CASE WHEN name IN (FROM hottest) THEN name ELSE 'others' END AS of, sum(instructions)::BIGINT AS n FROM f GROUP BY slice, of)
ON of USING max(n) GROUP BY slice ORDER BY slice;

-- Answer of sample, 20 rows:
-- slice | by_digits | checksum_task | collatz | others | quicksort
-- 0 | NULL | 3944 | NULL | 6974 | NULL
-- 1 | NULL | NULL | 1568 | 7897 | 1452
-- 2 | NULL | 3855 | 94 | 4032 | 2937
-- 3 | NULL | 3809 | 1716 | 4400 | 992
-- 4 | NULL | 31 | 1270 | 7648 | 1969
-- 5 | NULL | 3778 | NULL | 4170 | 2969
-- 6 | NULL | 216 | 2251 | 7385 | 1066
-- 7 | NULL | 1797 | 1884 | 6647 | 589
-- …
