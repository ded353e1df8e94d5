-- One row per source file that has code. Instructions in no function, as padding, are not counted.
-- build VARCHAR: The build, in builds.
-- file VARCHAR: Source file.
-- covered_pct DOUBLE: Percentage of its lines that are covered.
-- lines BIGINT: How many lines with code it has.
-- lines_covered BIGINT: How many of them are covered.
-- instructions BIGINT: How many instructions it has.
-- instructions_covered BIGINT: How many of them are covered: they ran, other than only failing their condition.
-- reached_only BIGINT: How many of them were reached, and only ever failed their condition.
-- unknown_only BIGINT: How many of the covered always ran where the trace does not say whether they passed.
-- outcomes BIGINT: How many outcomes its conditional branches have, two each.
-- outcomes_seen BIGINT: How many of those were seen.
SELECT build, file, pct(count(DISTINCT line) FILTER (covered), count(DISTINCT line)) AS covered_pct, count(DISTINCT line) AS lines,
       count(DISTINCT line) FILTER (covered) AS lines_covered, count(function) AS instructions, count(function) FILTER (covered) AS instructions_covered,
       count(function) FILTER (reached AND NOT covered) AS reached_only, count(function) FILTER (covered AND executed = 0) AS unknown_only,
       2 * count(*) FILTER (branch) AS outcomes, count(*) FILTER (branch AND executed > 0) + count(*) FILTER (branch AND failed > 0) AS outcomes_seen
FROM (SELECT *, conditional AND branches AND function IS NOT NULL AS branch FROM coverage_instructions)
WHERE file IS NOT NULL GROUP BY build, file;
