-- One row per function of a program, by address: several may have one name.
-- build VARCHAR: The build, in builds.
-- core VARCHAR: Core that the program belongs to; NULL: every core.
-- function INTEGER: Ordinal of the function, in functions of the same core.
-- name VARCHAR: Its name.
-- address BIGINT: Address of its first instruction.
-- file VARCHAR: Source file it is declared in; NULL if it is not known.
-- line BIGINT: Line of that; NULL if it is not known.
-- covered_pct DOUBLE: Percentage of its instructions that are covered.
-- instructions BIGINT: How many instructions it has.
-- covered BIGINT: How many of them are covered: they ran, other than only failing their condition.
-- reached_only BIGINT: How many of them were reached, and only ever failed their condition.
-- unknown_only BIGINT: How many of the covered always ran where the trace does not say whether they passed.
-- entries BIGINT: How often its first instruction was executed.
WITH i AS (
  SELECT build, core, function, any_value(name) AS name, count(*) AS instructions, count(*) FILTER (covered) AS covered,
         count(*) FILTER (reached AND NOT covered) AS reached_only, count(*) FILTER (covered AND executed = 0) AS unknown_only,
         arg_min(executed + unknown, address) AS entries
  FROM coverage_instructions WHERE function IS NOT NULL GROUP BY build, core, function),
f AS (SELECT b.build, f.* FROM functions f JOIN builds b USING (dataset) WHERE f.dataset = b.first_dataset)
SELECT i.build, i.core, i.function, i.name, f.address, f.file, f.line, pct(i.covered, i.instructions) AS covered_pct,
       i.instructions, i.covered, i.reached_only, i.unknown_only, i.entries
FROM i JOIN f ON f.build = i.build AND f.core IS NOT DISTINCT FROM i.core AND f.function = i.function;
