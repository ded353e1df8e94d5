-- How much of each function is covered, the least first?
-- Functions are told apart by address: several may have one name. Padding between them is not counted.
SELECT name, hex8(address) AS address, instructions, covered, reached_only, unknown_only, covered_pct, entries, trust
FROM coverage_functions f JOIN (SELECT build, trust FROM trust_all) t USING (build)
ORDER BY f.covered_pct, f.name, f.address;

-- Answer of sample, 41 rows:
-- name | address | instructions | covered | reached_only | unknown_only | covered_pct | entries | trust
-- power_off | 0x400080d8 | 3 | 0 | 0 | 0 | 0 | 0 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- unexpected | 0x400080d4 | 1 | 0 | 0 | 0 | 0 | 0 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- vectors | 0x40008000 | 8 | 5 | 0 | 0 | 62.5 | 0 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- breakpoint | 0x400087c4 | 3 | 2 | 0 | 1 | 66.67 | 4 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- popcount | 0x40008a30 | 10 | 7 | 1 | 5 | 70 | 60 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- nowhere | 0x400087d0 | 4 | 3 | 0 | 2 | 75 | 4 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- collatz | 0x40008a58 | 13 | 12 | 1 | 10 | 92.31 | 60 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- kernel_irq | 0x400083ec | 23 | 22 | 1 | 21 | 95.65 | 52 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- …
