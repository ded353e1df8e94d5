-- Which functions handle which exception?
-- The one that runs first and, where that is a vector, the one that it jumps to.
SELECT e.exception, e.number, coalesce(p.name, hex8(h.address)) AS function, sum(h.calls)::BIGINT AS times
FROM stacks e JOIN stacks h ON h.dataset = e.dataset AND h.source = e.source AND h.parent = e.stack
LEFT JOIN places p ON p.dataset = h.dataset AND p.source = h.source AND p.address = h.address
WHERE e.entry = 'exception' GROUP BY ALL ORDER BY e.exception, e.number, times DESC, function;

-- Answer of sample, 10 rows:
-- exception | number | function | times
-- data_abort | 12 | data_abort_entry | 4
-- data_abort | 12 | vectors | 4
-- irq | 14 | irq_entry | 52
-- irq | 14 | vectors | 52
-- prefetch_abort | 11 | prefetch_abort_entry | 4
-- prefetch_abort | 11 | vectors | 4
-- svc | 10 | svc_entry | 20
-- svc | 10 | vectors | 20
-- …
