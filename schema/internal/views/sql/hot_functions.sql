-- One row per function that was executed, by address: its own cost, without that of what it calls. Order by coalesce(cycles, instructions), as a capture may have no cycles.
-- build VARCHAR: The build, in builds.
-- core VARCHAR: Core that the program belongs to; NULL: every core.
-- function INTEGER: Ordinal of the function, in functions of the same core; NULL: code in no function.
-- name VARCHAR: Its name; NULL without a function.
-- entries BIGINT: How often its first instruction was executed; NULL without a function.
-- instructions BIGINT: How many instructions it executed, failed ones too.
-- instructions_pct DOUBLE: Percentage of all instructions of the build.
-- cycles BIGINT: Cycles, the cost of each run spread evenly over its instructions; NULL if no run has a cost. Unit: cycles.
-- cycles_pct DOUBLE: Percentage of all cycles of the build that are in a run; NULL if cycles is.
-- ipc DOUBLE: Instructions in epochs that have cycles, per cycle; NULL if cycles is.
WITH i AS (
  SELECT build, core, function, any_value(name) AS name, arg_min(executed + unknown, address) AS entries, sum(executions)::BIGINT AS instructions,
         sum(timed) AS timed, round(sum(cycles_spread))::BIGINT AS cycles
  FROM coverage_instructions GROUP BY build, core, function HAVING sum(executions) > 0),
t AS (SELECT build, sum(executions) AS instructions, sum(cycles_spread) AS cycles FROM counts_all GROUP BY build)
SELECT build, i.core, i.function, i.name, CASE WHEN i.function IS NOT NULL THEN i.entries END AS entries, i.instructions,
       pct(i.instructions, t.instructions) AS instructions_pct, i.cycles, pct(i.cycles, t.cycles) AS cycles_pct, i.timed / nullif(i.cycles, 0) AS ipc
FROM i JOIN t USING (build);
