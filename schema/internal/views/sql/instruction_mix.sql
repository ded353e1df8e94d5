-- One row per instruction set and class of the instructions of a program that were executed.
-- build VARCHAR: The build, in builds.
-- isa VARCHAR: Instruction set.
-- kind VARCHAR: Class of the instruction, by its opcode alone.
-- instructions BIGINT: How many were executed, failed ones too.
-- instructions_pct DOUBLE: Percentage of all instructions of the build.
-- failed BIGINT: How many of them failed their condition.
-- unknown BIGINT: Of how many the trace does not say.
-- bytes_each DOUBLE: Mean length. Unit: bytes.
-- cycles_each DOUBLE: Mean cost in epochs that have cycles, the cost of each run spread evenly over its instructions; NULL without cycles. Unit: cycles.
WITH t AS (SELECT build, sum(executions) AS instructions FROM counts_all GROUP BY build)
SELECT build, i.isa, i.kind, sum(i.executions)::BIGINT AS instructions, pct(sum(i.executions), any_value(t.instructions)) AS instructions_pct,
       sum(i.failed)::BIGINT AS failed, sum(i.unknown)::BIGINT AS unknown, sum(i.size * i.executions) / sum(i.executions) AS bytes_each,
       sum(i.cycles_spread) / nullif(sum(i.timed), 0) AS cycles_each
FROM coverage_instructions i JOIN t USING (build) WHERE i.reached GROUP BY build, i.isa, i.kind;
