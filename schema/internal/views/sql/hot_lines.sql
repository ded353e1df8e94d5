-- One row per source line that was executed: its own cost, without that of what it calls. Order by coalesce(cycles, instructions), as a capture may have no cycles.
-- build VARCHAR: The build, in builds.
-- file VARCHAR: Source file.
-- line BIGINT: Line in it.
-- instructions BIGINT: How many instructions it executed, failed ones too.
-- instructions_pct DOUBLE: Percentage of all instructions of the build.
-- cycles BIGINT: Cycles, the cost of each run spread evenly over its instructions; NULL if no run has a cost. Unit: cycles.
-- cycles_pct DOUBLE: Percentage of all cycles of the build that are in a run; NULL if cycles is.
WITH i AS (
  SELECT build, file, line, sum(executions)::BIGINT AS instructions, round(sum(cycles_spread))::BIGINT AS cycles
  FROM coverage_instructions WHERE file IS NOT NULL GROUP BY build, file, line HAVING sum(executions) > 0),
t AS (SELECT build, sum(executions) AS instructions, sum(cycles_spread) AS cycles FROM counts_all GROUP BY build)
SELECT build, i.file, i.line, i.instructions, pct(i.instructions, t.instructions) AS instructions_pct, i.cycles, pct(i.cycles, t.cycles) AS cycles_pct
FROM i JOIN t USING (build);
