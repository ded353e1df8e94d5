-- Which memory is missing most: where does following the program stop for want of it?
SELECT dataset, hex8(page) AS page, stops, first_offset
FROM (SELECT dataset, address // 4096 * 4096 AS page, count(*) AS stops, min(byte_offset) AS first_offset FROM events WHERE event = 'unmapped' GROUP BY ALL)
ORDER BY stops DESC, dataset, page LIMIT 20;

-- Answer of partial, 1 row:
-- dataset | page | stops | first_offset
-- partial | 0x40008000 | 1278 | 2302
