-- One row per executed address of a build and core: counts of all its datasets and sources together.
-- build VARCHAR: The build, in builds.
-- core VARCHAR: Core that executed it; NULL if it is not known.
-- address BIGINT: Address of the instruction.
-- isa VARCHAR: Instruction set.
-- executed BIGINT: How often it passed its condition.
-- failed BIGINT: How often it failed its condition.
-- unknown BIGINT: How often it ran where the trace does not say whether it passed (PFT: between waypoints).
-- executions BIGINT: How often in all.
-- timed BIGINT: How often it ran in an epoch that has cycles.
-- cycles BIGINT: Sum of its own cycles; NULL if the trace gives it none. Unit: cycles.
-- cycles_spread DOUBLE: Cycles with the cost of each run spread evenly over its instructions; NULL if no run of it has a cost. Unit: cycles.
-- datasets BIGINT: How many datasets executed it.
SELECT b.build, s.core, c.address, c.isa, sum(c.executed)::BIGINT AS executed, sum(c.failed)::BIGINT AS failed, sum(c.unknown)::BIGINT AS unknown,
       sum(c.executed + c.failed + c.unknown)::BIGINT AS executions, sum(c.timed)::BIGINT AS timed,
       sum(c.cycles)::BIGINT AS cycles, sum(c.cycles_spread) AS cycles_spread, count(DISTINCT dataset) AS datasets
FROM counts c JOIN sources s USING (dataset, source) JOIN builds b USING (dataset)
GROUP BY b.build, s.core, c.address, c.isa;
