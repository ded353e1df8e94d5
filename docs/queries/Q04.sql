-- Which source lines are covered, and how often did they run?
-- A line is covered if any of its instructions is; executions are those of the instruction that ran most often.
SELECT file, line, covered, executions, instructions, instructions_covered, reached_only
FROM coverage_lines ORDER BY build, file, line;

-- Answer of sample, 245 rows:
-- file | line | covered | executions | instructions | instructions_covered | reached_only
-- checksum.c | 12 | true | 256 | 9 | 9 | 0
-- checksum.c | 14 | true | 2048 | 2 | 2 | 0
-- checksum.c | 15 | true | 2048 | 6 | 6 | 0
-- checksum.c | 16 | true | 256 | 1 | 1 | 0
-- checksum.c | 22 | true | 6 | 5 | 5 | 0
-- checksum.c | 23 | true | 1536 | 2 | 2 | 0
-- checksum.c | 24 | true | 1536 | 6 | 6 | 0
-- checksum.c | 26 | true | 6 | 3 | 2 | 0
-- …
