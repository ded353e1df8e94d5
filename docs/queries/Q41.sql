-- Which exceptions took longest, where in the capture are they, and what did they interrupt?
SELECT x.dataset, x.source, e.type, e.number, x.cycles, x.ticks, x.instructions, x.seq, x.byte_offset, t.name AS task, p.name AS interrupted
FROM exception_spans x JOIN exceptions e USING (dataset, source, ordinal) LEFT JOIN stacks s ON s.dataset = x.dataset AND s.source = x.source AND s.stack = x.stack
LEFT JOIN tasks t ON t.dataset = x.dataset AND t.source = x.source AND t.task = s.task
LEFT JOIN places p ON p.dataset = e.dataset AND p.source = e.source AND p.address = e.return_address
WHERE x."end" NOT IN ('gap', 'open') ORDER BY coalesce(x.cycles, x.instructions) DESC, x.dataset, x.source, x.seq LIMIT 10;

-- Answer of sample, 10 rows:
-- dataset | source | type | number | cycles | ticks | instructions | seq | byte_offset | task | interrupted
-- sample | 16 | svc | 10 | 560 | 30 | 108 | 82585 | 23320 | fault_task | fault_task
-- sample | 16 | irq | 14 | 476 | 172 | 119 | 178844 | 52502 | sort_task | by_digits
-- sample | 16 | irq | 14 | 458 | 128 | 119 | 194908 | 56804 | sort_task | by_digits
-- sample | 16 | irq | 14 | 457 | 99 | 119 | 210972 | 61158 | sort_task | by_digits
-- sample | 16 | svc | 10 | 455 | 131 | 112 | 103656 | 29405 | matrix_task | matrix_task
-- sample | 16 | irq | 14 | 452 | 131 | 119 | 190892 | 55713 | sort_task | quicksort
-- sample | 16 | irq | 14 | 450 | 117 | 119 | 174828 | 51238 | sort_task | sort_task
-- sample | 16 | irq | 14 | 449 | 111 | 119 | 202940 | 58977 | sort_task | quicksort
-- …
