-- What does each test cover, what does it alone cover, and what do all up to it?
-- Padding, and addresses outside the program, are not counted.
WITH covered AS (
  SELECT DISTINCT p.build, p.core, p.address, coalesce(r.test, r.dataset) AS test
  FROM counts c JOIN places p USING (dataset, source, address, isa) JOIN runs r USING (dataset)
  WHERE p.function IS NOT NULL AND c.executed + c.unknown > 0),
by_address AS (SELECT build, core, address, count(*) AS tests, min(test) AS first_test FROM covered GROUP BY build, core, address),
total AS (SELECT build, instructions, trust FROM coverage)
SELECT c.test, count(*) AS covered, pct(count(*), any_value(t.instructions)) AS covered_pct, count(*) FILTER (a.tests = 1) AS only_here,
       (SELECT count(*) FROM by_address x WHERE x.build = c.build AND x.first_test <= c.test) AS cumulative, any_value(t.instructions) AS total, any_value(t.trust) AS trust
FROM covered c JOIN by_address a ON a.build = c.build AND a.core IS NOT DISTINCT FROM c.core AND a.address = c.address JOIN total t ON t.build = c.build GROUP BY c.build, c.test ORDER BY c.build, c.test;

-- Answer of sample and synth, 2 rows:
-- test | covered | covered_pct | only_here | cumulative | total | trust
-- tasks | 774 | 97.97 | 344 | 774 | 790 | decoded 99.99 %, bytes lost 12, unplaced 0, gaps 1, executed outside code 0, unknown 69.57 %, image match 1.0
-- walk | 435 | 55.06 | 5 | 779 | 790 | decoded 99.99 %, bytes lost 12, unplaced 0, gaps 1, executed outside code 0, unknown 69.57 %, image match 1.0
