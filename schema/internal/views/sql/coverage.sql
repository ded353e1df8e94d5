-- One row per build: what all its datasets and sources cover together, and how far that can be trusted. Instructions in no function, as padding, are not counted.
-- build VARCHAR: The build, in builds.
-- datasets BIGINT: How many datasets there are of it.
-- instructions BIGINT: Instructions of the program.
-- covered BIGINT: How many of them are covered: they ran, other than only failing their condition.
-- covered_pct DOUBLE: Percentage of them; NULL without a program file, as all that follow.
-- reached_only BIGINT: How many were reached, and only ever failed their condition.
-- unknown_only BIGINT: How many of the covered always ran where the trace does not say whether they passed.
-- functions BIGINT: Functions of the program, by address.
-- functions_covered BIGINT: How many of them have a covered instruction.
-- functions_full BIGINT: How many of them have no other.
-- functions_pct DOUBLE: Percentage of functions that are covered.
-- lines BIGINT: Source lines with code.
-- lines_covered BIGINT: How many of them have a covered instruction.
-- lines_pct DOUBLE: Percentage of lines that are covered.
-- branches BIGINT: Conditional branches.
-- outcomes_seen BIGINT: How many of their outcomes, two each, were seen.
-- outcomes_pct DOUBLE: Percentage of outcomes that were seen.
-- decoded_pct DOUBLE: Percentage of the bytes of all sources in packets that were understood.
-- bytes_lost BIGINT: Bytes not understood. Unit: bytes.
-- bytes_unplaced BIGINT: Of the decoded: bytes of instructions that have no row. Unit: bytes.
-- gaps BIGINT: Restarts of trace, as in summary; NULL if events were not exported.
-- outside_executions BIGINT: Executions of addresses that are no instruction of the program.
-- image_match DOUBLE: Least image_match of a source, from 0 to 1; NULL without a program file.
-- agreement DOUBLE: Least agreement of a source, from 0 to 1; NULL without checks.
-- program_agrees BOOLEAN: False if it is for any source.
-- trust VARCHAR: In words, how far that can be trusted; as in trust_all.
WITH c AS MATERIALIZED (
  SELECT build, core, function, file, line, covered, reached, executed, failed, conditional AND branches AS branch FROM coverage_instructions),
i AS (
  SELECT build, count(*) AS n, count(*) FILTER (covered) AS covered, count(*) FILTER (reached AND NOT covered) AS reached_only,
         count(*) FILTER (covered AND executed = 0) AS unknown_only,
         count(*) FILTER (branch) AS branches, count(*) FILTER (branch AND executed > 0) + count(*) FILTER (branch AND failed > 0) AS outcomes
  FROM c WHERE function IS NOT NULL GROUP BY build),
f AS (
  SELECT build, count(*) AS n, count(*) FILTER (covered) AS covered, count(*) FILTER (complete) AS complete
  FROM (SELECT build, bool_or(covered) AS covered, bool_and(covered) AS complete FROM c WHERE function IS NOT NULL GROUP BY build, core, function)
  GROUP BY build),
l AS (
  SELECT build, count(*) AS n, count(*) FILTER (covered) AS covered
  FROM (SELECT build, bool_or(covered) AS covered FROM c WHERE file IS NOT NULL GROUP BY build, file, line) GROUP BY build)
SELECT build, t.datasets, i.n AS instructions, i.covered, pct(i.covered, i.n) AS covered_pct, i.reached_only, i.unknown_only,
       f.n AS functions, f.covered AS functions_covered, f.complete AS functions_full, pct(f.covered, f.n) AS functions_pct,
       l.n AS lines, l.covered AS lines_covered, pct(l.covered, l.n) AS lines_pct,
       i.branches, i.outcomes AS outcomes_seen, pct(i.outcomes, 2 * i.branches) AS outcomes_pct,
       t.decoded_pct, t.bytes_lost, t.bytes_unplaced, t.gaps, t.outside_executions,
       t.image_match, t.agreement, t.program_agrees, t.trust
FROM trust_all t LEFT JOIN i USING (build) LEFT JOIN f USING (build) LEFT JOIN l USING (build);
