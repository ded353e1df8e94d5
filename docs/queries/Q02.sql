-- What is covered, in one line: instructions, functions, lines, outcomes of branches?
-- Covered is what ran other than failing its condition; reached_only always failed it; of unknown_only the trace never says (PFT: between waypoints).
SELECT datasets, instructions, covered, covered_pct, reached_only, unknown_only, functions, functions_covered, functions_pct,
       lines, lines_covered, lines_pct, branches, outcomes_seen, outcomes_pct, trust
FROM coverage ORDER BY build;

-- Answer of sample, 1 row:
-- datasets | instructions | covered | covered_pct | reached_only | unknown_only | functions | functions_covered | functions_pct | lines | lines_covered | lines_pct | branches | outcomes_seen | outcomes_pct | trust
-- 1 | 790 | 774 | 97.97 | 4 | 646 | 41 | 39 | 95.12 | 245 | 236 | 96.33 | 53 | 102 | 96.23 | decoded 99.99 %, bytes lost 6, unplaced 0, gaps 0, executed outside code 0, unknown 79.12 %, image match 1.0
