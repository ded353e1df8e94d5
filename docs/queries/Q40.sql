-- Which functions handle which exception?
-- The one that runs first and, where that is a vector, the one that it jumps to.
SELECT e.exception, e.number, coalesce(p.name, hex8(h.address)) AS function, sum(h.calls)::BIGINT AS times
FROM stacks e JOIN stacks h ON h.dataset = e.dataset AND h.source = e.source AND h.parent = e.stack
LEFT JOIN places p ON p.dataset = h.dataset AND p.source = h.source AND p.address = h.address
WHERE e.entry = 'exception' GROUP BY ALL ORDER BY e.exception, e.number, times DESC, function;

-- Answer of sample, 12 rows:
-- exception | number | entry | function | times
-- data_abort | 12 | root | vectors | 4
-- data_abort | 12 | tail | data_abort_entry | 4
-- irq | 14 | root | vectors | 52
-- irq | 14 | tail | irq_entry | 52
-- irq | 14 | tail | resume | 52
-- prefetch_abort | 11 | root | vectors | 4
-- prefetch_abort | 11 | tail | prefetch_abort_entry | 4
-- svc | 10 | root | vectors | 20
-- …
