-- Which exceptions interrupted the handlers of which?
-- interrupted is NULL where no handler ran.
WITH RECURSIVE up AS ( -- from what each exception interrupted outwards, to the next exception
  SELECT x.dataset, x.source, e.type, e.number, x.stack, count(*) AS times FROM exception_spans x JOIN exceptions e USING (dataset, source, ordinal) GROUP BY ALL
  UNION ALL
  SELECT u.dataset, u.source, u.type, u.number, s.parent, u.times
  FROM up u JOIN stacks s ON s.dataset = u.dataset AND s.source = u.source AND s.stack = u.stack WHERE s.entry <> 'exception')
SELECT o.exception AS interrupted, o.number AS interrupted_number, u.type AS exception, u.number, sum(u.times)::BIGINT AS times
FROM up u LEFT JOIN stacks o ON o.dataset = u.dataset AND o.source = u.source AND o.stack = u.stack
WHERE u.stack IS NULL OR o.entry = 'exception'
GROUP BY o.exception, o.number, u.type, u.number ORDER BY times DESC, interrupted, interrupted_number, u.type, u.number;

-- Answer of sample, 5 rows:
-- interrupted | interrupted_number | exception | number | times
-- NULL | NULL | irq | 14 | 52
-- NULL | NULL | svc | 10 | 20
-- NULL | NULL | undefined | 9 | 8
-- NULL | NULL | data_abort | 12 | 4
-- NULL | NULL | prefetch_abort | 11 | 4

-- Answer of synth, 14 rows:
-- interrupted | interrupted_number | exception | number | times
-- svc | 10 | irq | 14 | 19
-- svc | 10 | undefined | 9 | 10
-- NULL | NULL | irq | 14 | 9
-- svc | 10 | data_abort | 12 | 8
-- NULL | NULL | prefetch_abort | 11 | 4
-- NULL | NULL | svc | 10 | 3
-- data_abort | 12 | irq | 14 | 2
-- irq | 14 | irq | 14 | 2
-- …
