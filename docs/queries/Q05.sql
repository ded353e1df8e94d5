-- How much of each source file is covered, and of all of them?
SELECT coalesce(f.file, 'all files') AS file, sum(lines)::BIGINT AS lines, sum(lines_covered)::BIGINT AS covered, pct(sum(lines_covered), sum(lines)) AS covered_pct,
       sum(outcomes)::BIGINT AS outcomes, sum(outcomes_seen)::BIGINT AS seen, any_value(trust) AS trust
FROM coverage_files f JOIN trust_all t USING (build)
GROUP BY GROUPING SETS ((build, f.file), (build)) ORDER BY build, f.file NULLS LAST;
