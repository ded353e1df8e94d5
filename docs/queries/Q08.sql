-- Which code did not run: whole functions first, then stretches within functions?
-- Not seen is not dead: it means so only if all was decoded, without gaps. reached_only are instructions that always failed their condition.
SELECT name, hex8(address) AS first, hex8(address + bytes) AS past_end, instructions, bytes, reached_only, whole_function, file || ':' || line AS location, trust
FROM uncovered u JOIN (SELECT build, trust FROM trust_all) t USING (build) ORDER BY whole_function DESC, u.bytes DESC, u.address;

-- Answer of sample, 13 rows:
-- name | first | past_end | instructions | bytes | reached_only | whole_function | location | trust
-- power_off | 0x400080d8 | 0x400080e4 | 3 | 12 | 0 | true | start.S:115 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- unexpected | 0x400080d4 | 0x400080d8 | 1 | 4 | 0 | true | start.S:107 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- popcount | 0x40008a50 | 0x40008a58 | 2 | 8 | 0 | false | script.c:11 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- vectors | 0x40008000 | 0x40008004 | 1 | 4 | 0 | false | start.S:18 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- vectors | 0x40008014 | 0x40008018 | 1 | 4 | 0 | false | start.S:23 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- vectors | 0x4000801c | 0x40008020 | 1 | 4 | 0 | false | start.S:25 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- call_print | 0x4000810c | 0x40008110 | 1 | 4 | 1 | false | kernel.c:57 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- kernel_irq | 0x40008404 | 0x40008408 | 1 | 4 | 1 | false | kernel.c:114 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- …
