-- Which source lines are the hottest?
SELECT file, line, instructions, instructions_pct, cycles, cycles_pct
FROM hot_lines ORDER BY coalesce(cycles, instructions) DESC, instructions DESC, file, line LIMIT 20;

-- Answer of sample, 20 rows:
-- file | line | instructions | instructions_pct | cycles | cycles_pct
-- sort.c | 13 | 22719 | 10.4 | 35543 | 8.1
-- sort.c | 37 | 12641 | 5.79 | 29829 | 6.8
-- sort.c | 39 | 12796 | 5.86 | 28629 | 6.53
-- matrix.c | 16 | 9216 | 4.22 | 17787 | 4.05
-- matrix.c | 17 | 9216 | 4.22 | 17766 | 4.05
-- script.c | 48 | 6375 | 2.92 | 17083 | 3.89
-- checksum.c | 24 | 9216 | 4.22 | 16284 | 3.71
-- script.c | 27 | 9600 | 4.4 | 15981 | 3.64
-- …
