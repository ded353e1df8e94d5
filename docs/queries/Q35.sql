-- Where is trace missing, and what ran before and after?
WITH near AS (SELECT dataset, source, seq, address FROM instructions SEMI JOIN (SELECT dataset, source, seq FROM losses UNION SELECT dataset, source, seq - 1 FROM losses) USING (dataset, source, seq))
SELECT l.dataset, l.source, l.byte_offset, l.bytes, l.reason, b.name AS before, a.name AS after
FROM losses l
LEFT JOIN near x ON x.dataset = l.dataset AND x.source = l.source AND x.seq = l.seq - 1
LEFT JOIN places b ON b.dataset = x.dataset AND b.source = x.source AND b.address = x.address
LEFT JOIN near y ON y.dataset = l.dataset AND y.source = l.source AND y.seq = l.seq
LEFT JOIN places a ON a.dataset = y.dataset AND a.source = y.source AND a.address = y.address
ORDER BY l.dataset, l.source, l.byte_offset;

-- Answer of sample, 1 row:
-- dataset | source | byte_offset | bytes | reason | before | after
-- sample | 16 | 1 | 6 | unsynced | NULL | _start
