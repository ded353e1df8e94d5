-- How many instructions of each function does each test execute?
-- NULL: none. The label test of a dataset names the test, else the dataset does.
PIVOT (
  SELECT p.function, p.name, coalesce(r.test, r.dataset) AS test, sum(c.executed + c.failed + c.unknown)::BIGINT AS n
  FROM counts c JOIN places p USING (dataset, source, address, isa) JOIN runs r USING (dataset)
  WHERE p.function IS NOT NULL GROUP BY p.build, p.core, p.function, p.name, coalesce(r.test, r.dataset))
ON test USING max(n) GROUP BY function, name ORDER BY function, name;

-- Answer of sample and synth, 41 rows:
-- function | name | tasks | walk
-- 0 | vectors | 88 | 66
-- 1 | _start | 6110 | 56
-- 2 | svc_entry | 138 | 17
-- 3 | irq_entry | 364 | 225
-- …
