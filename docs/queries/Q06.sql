-- Which way did each conditional branch go?
-- Object branch coverage: both outcomes of the machine branch. It is not decision coverage, and not MC/DC.
SELECT hex8(address) AS address, name, file || ':' || line AS location, taken, not_taken, unknown, verdict
FROM coverage_branches b ORDER BY build, b.address;

-- Answer of sample, 53 rows:
-- address | name | location | taken | not_taken | unknown | verdict
-- 0x4000804c | _start | start.S:43 | 2032 | 1 | 0 | both
-- 0x4000810c | call_print | kernel.c:57 | 0 | 5 | 0 | never_taken
-- 0x40008120 | call_print | kernel.c:57 | 21 | 5 | 0 | both
-- 0x40008154 | call_print | kernel.c:51 | 35 | 5 | 0 | both
-- 0x400081c0 | next | kernel.c:69 | 80 | 67 | 0 | both
-- 0x400081c8 | next | kernel.c:71 | 14 | 53 | 0 | both
-- 0x40008204 | next | kernel.c:67 | 79 | 1 | 0 | both
-- 0x40008228 | next | kernel.c:57 | 4 | 1 | 0 | both
-- …
