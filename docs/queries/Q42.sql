-- Which outcomes of conditional instructions that are no branches were seen?
SELECT verdict, count(*) AS instructions, sum(passed + failed + untold)::BIGINT AS executions
FROM coverage_predicated GROUP BY verdict ORDER BY verdict;

-- Answer of sample, 1 row:
-- verdict | instructions | executions
-- untold | 14 | 21143
