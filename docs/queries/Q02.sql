-- What is covered, in one line: instructions, functions, lines, outcomes of branches?
-- Covered is what ran other than failing its condition; reached_only always failed it; of untold_only the trace never says (PFT: between waypoints).
SELECT datasets, instructions, covered, covered_pct, reached_only, untold_only, functions, functions_covered, functions_pct,
       lines, lines_covered, lines_pct, branches, outcomes_seen, outcomes_pct, trust
FROM coverage ORDER BY build;
