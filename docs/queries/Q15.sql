-- What did handlers take, with and without the exceptions that came in them?
-- Synchronous ones, as svc: those of others, as irq, count for themselves. In cycles if the trace has them, else in instructions. A handler that another task's turn cut short counts up to there. NULL: its entry was not seen.
WITH RECURSIVE up AS ( -- from each exception in the call trees outwards, to the next one
  SELECT dataset, source, stack, parent AS outer_stack, coalesce(total_cycles, total_instructions) AS total FROM stacks WHERE entry = 'exception'
  UNION ALL
  SELECT u.dataset, u.source, u.stack, s.parent, u.total
  FROM up u JOIN stacks s ON s.dataset = u.dataset AND s.source = u.source AND s.stack = u.outer_stack WHERE s.entry <> 'exception'),
nested AS (
  SELECT u.dataset, u.source, u.outer_stack AS stack, sum(u.total)::BIGINT AS total
  FROM up u JOIN stacks o ON o.dataset = u.dataset AND o.source = u.source AND o.stack = u.outer_stack WHERE o.entry = 'exception' GROUP BY ALL)
SELECT s.exception, s.number, sum(s.calls)::BIGINT AS entries, CASE WHEN bool_and(s.total_cycles IS NOT NULL) THEN 'cycles' ELSE 'instructions' END AS unit,
       sum(coalesce(s.total_cycles, s.total_instructions))::BIGINT AS with_nested, sum(coalesce(s.total_cycles, s.total_instructions) - coalesce(n.total, 0))::BIGINT AS own,
       round(with_nested / entries, 1) AS with_nested_each, round(own / entries, 1) AS own_each
FROM stacks s LEFT JOIN nested n USING (dataset, source, stack) WHERE s.entry = 'exception'
GROUP BY s.exception, s.number ORDER BY with_nested DESC, s.exception, s.number;

-- Answer of sample, 5 rows:
-- exception | number | entries | unit | with_nested | own | with_nested_each | own_each
-- irq | 14 | 52 | cycles | 17312 | 17312 | 332.9 | 332.9
-- svc | 10 | 20 | cycles | 7276 | 7276 | 363.8 | 363.8
-- undefined | 9 | 8 | cycles | 1020 | 1020 | 127.5 | 127.5
-- data_abort | 12 | 4 | cycles | 547 | 547 | 136.8 | 136.8
-- prefetch_abort | 11 | 4 | cycles | 456 | 456 | 114 | 114

-- Answer of synth, 6 rows:
-- exception | number | entries | unit | with_nested | own | with_nested_each | own_each
-- svc | 10 | 3 | cycles | 45473 | 43620 | 15157.7 | 14540
-- irq | 14 | 32 | cycles | 6841 | 6679 | 213.8 | 208.7
-- data_abort | 12 | 10 | cycles | 1194 | 1113 | 119.4 | 111.3
-- undefined | 9 | 15 | cycles | 1186 | 1186 | 79.1 | 79.1
-- NULL | NULL | 2 | cycles | 1112 | 1002 | 556 | 501
-- prefetch_abort | 11 | 6 | cycles | 678 | 678 | 113 | 113
