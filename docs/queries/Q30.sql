-- How deep was the stack at calls, in 20 slices of equal numbers of instructions?
-- Parameter: dataset, by default the first. Depth counts frames: 2 is a call from the function that a task began with; an exception is a frame, its handler another.
WITH d AS (SELECT coalesce(getvariable('dataset'), min(dataset)) AS dataset FROM sources),
n AS (SELECT s.dataset, s.source, s.instructions FROM sources s JOIN d USING (dataset) WHERE s.instructions > 0)
SELECT 20 * c.seq // n.instructions AS slice, count(*) AS calls, min(s.depth) AS least, round(avg(s.depth), 2) AS mean, max(s.depth) AS greatest
FROM calls c JOIN n USING (dataset, source) JOIN stacks s USING (dataset, source, stack)
GROUP BY slice ORDER BY slice;

-- Answer of sample, 20 rows:
-- slice | calls | least | mean | greatest
-- 0 | 57 | 2 | 2.04 | 4
-- 1 | 377 | 2 | 2.95 | 10
-- 2 | 272 | 2 | 5.03 | 8
-- 3 | 171 | 2 | 5.44 | 11
-- 4 | 294 | 2 | 4.68 | 11
-- 5 | 254 | 2 | 4.36 | 7
-- 6 | 166 | 2 | 4.57 | 8
-- 7 | 147 | 2 | 5.63 | 11
-- …
