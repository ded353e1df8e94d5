-- How much of each source file is covered, and of all of them?
SELECT coalesce(f.file, 'all files') AS file, sum(lines)::BIGINT AS lines, sum(lines_covered)::BIGINT AS covered, pct(sum(lines_covered), sum(lines)) AS covered_pct,
       sum(outcomes)::BIGINT AS outcomes, sum(outcomes_seen)::BIGINT AS seen, any_value(trust) AS trust
FROM coverage_files f JOIN trust_all t USING (build)
GROUP BY GROUPING SETS ((build, f.file), (build)) ORDER BY build, f.file NULLS LAST;

-- Answer of sample, 9 rows:
-- file | lines | covered | covered_pct | outcomes | seen | trust
-- checksum.c | 21 | 21 | 100 | 10 | 10 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- fault.c | 15 | 15 | 100 | 2 | 2 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- kernel.c | 52 | 52 | 100 | 32 | 30 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- kernel.h | 9 | 8 | 88.89 | 0 | 0 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- matrix.c | 21 | 21 | 100 | 18 | 18 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- script.c | 39 | 38 | 97.44 | 16 | 14 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- sort.c | 32 | 32 | 100 | 26 | 26 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- start.S | 56 | 49 | 87.5 | 2 | 2 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
-- all files | 245 | 236 | 96.33 | 106 | 102 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
