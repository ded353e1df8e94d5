-- How deep was the stack at calls, in 20 slices of equal numbers of instructions?
-- Parameter: dataset, by default the first. Depth counts frames: 2 is a call from the function that a task began with; an exception is a frame, its handler another.
WITH d AS (SELECT coalesce(getvariable('dataset'), min(dataset)) AS dataset FROM sources),
n AS (SELECT s.dataset, s.source, s.instructions FROM sources s JOIN d USING (dataset) WHERE s.instructions > 0)
SELECT 20 * c.seq // n.instructions AS slice, count(*) AS calls, min(s.depth) AS least, round(avg(s.depth), 2) AS mean, max(s.depth) AS greatest
FROM calls c JOIN n USING (dataset, source) JOIN stacks s USING (dataset, source, stack)
GROUP BY slice ORDER BY slice;

-- Answer of sample, 20 rows:
-- slice | calls | least | mean | greatest
-- 0 | 61 | 2 | 2.08 | 4
-- 1 | 385 | 2 | 3.09 | 11
-- 2 | 282 | 2 | 4.97 | 7
-- 3 | 185 | 2 | 5.62 | 12
-- 4 | 307 | 2 | 4.91 | 11
-- 5 | 258 | 2 | 4.34 | 7
-- 6 | 181 | 2 | 4.67 | 9
-- 7 | 161 | 2 | 5.9 | 12
-- …
