-- Which outcomes of conditional instructions that are no branches were seen?
SELECT verdict, count(*) AS instructions, sum(passed + failed + unknown)::BIGINT AS executions
FROM coverage_predicated GROUP BY verdict ORDER BY verdict;

-- Answer of sample, 1 row:
-- verdict | instructions | executions
-- unknown | 14 | 21143
