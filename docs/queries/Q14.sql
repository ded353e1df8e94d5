-- Which exceptions interrupted the handlers of which?
-- interrupted is NULL where no handler ran.
WITH RECURSIVE up AS ( -- from each exception in the call trees outwards, to the next one
  SELECT dataset, source, stack, exception, number, calls, parent AS outer_stack FROM stacks WHERE entry = 'exception'
  UNION ALL
  SELECT u.dataset, u.source, u.stack, u.exception, u.number, u.calls, s.parent
  FROM up u JOIN stacks s ON s.dataset = u.dataset AND s.source = u.source AND s.stack = u.outer_stack WHERE s.entry <> 'exception')
SELECT o.exception AS interrupted, o.number AS interrupted_number, u.exception, u.number, sum(u.calls)::BIGINT AS times
FROM up u LEFT JOIN stacks o ON o.dataset = u.dataset AND o.source = u.source AND o.stack = u.outer_stack
WHERE u.outer_stack IS NULL OR o.entry = 'exception'
GROUP BY o.exception, o.number, u.exception, u.number ORDER BY times DESC, interrupted, interrupted_number, u.exception, u.number;

-- Answer of sample, 5 rows:
-- interrupted | interrupted_number | exception | number | times
-- NULL | NULL | irq | 14 | 52
-- NULL | NULL | svc | 10 | 20
-- NULL | NULL | undefined | 9 | 8
-- NULL | NULL | data_abort | 12 | 4
-- NULL | NULL | prefetch_abort | 11 | 4

-- Answer of synth, 13 rows:
-- interrupted | interrupted_number | exception | number | times
-- NULL | NULL | irq | 14 | 15
-- svc | 10 | irq | 14 | 13
-- svc | 10 | data_abort | 12 | 7
-- NULL | NULL | undefined | 9 | 7
-- svc | 10 | undefined | 9 | 5
-- NULL | NULL | prefetch_abort | 11 | 4
-- NULL | NULL | data_abort | 12 | 3
-- NULL | NULL | svc | 10 | 3
-- …
