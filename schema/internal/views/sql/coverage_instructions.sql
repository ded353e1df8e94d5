-- One row per instruction of a program, with how often it was executed by all datasets and sources together.
-- build VARCHAR: The build, in builds.
-- core VARCHAR: Core that the program belongs to; NULL: every core.
-- address BIGINT: Address of the instruction.
-- size INTEGER: Length of the instruction: 2 or 4. Unit: bytes.
-- isa VARCHAR: Instruction set.
-- opcode BIGINT: The instruction in the program; a 32-bit T32 one has its first halfword in the high half.
-- kind VARCHAR: Class of the instruction, by its opcode alone.
-- conditional BOOLEAN: True: it has a condition, of its own or of an IT block.
-- branches BOOLEAN: True: it can leave the straight line: its kind is not other, and not barrier.
-- target BIGINT: Target of a direct branch; NULL for others.
-- function INTEGER: Ordinal of its function, in functions of the same core; NULL: in none, as padding is. Such instructions are in no percentage.
-- name VARCHAR: Name of that function: several may have the same one.
-- file VARCHAR: Source file of the instruction; NULL if it is not known.
-- line BIGINT: Line in it; NULL if it is not known.
-- covered BOOLEAN: True: it was executed, other than only failing its condition.
-- reached BOOLEAN: True: it was executed, or failed its condition.
-- executed BIGINT: How often it passed its condition.
-- failed BIGINT: How often it failed its condition.
-- unknown BIGINT: How often it ran where the trace does not say whether it passed (PFT: between waypoints).
-- executions BIGINT: How often in all.
-- timed BIGINT: How often it ran in an epoch that has cycles.
-- cycles BIGINT: Sum of its own cycles; NULL if the trace gives it none. Unit: cycles.
-- cycles_spread DOUBLE: Cycles with the cost of each run spread evenly over its instructions; NULL if no run of it has a cost. Unit: cycles.
WITH ran AS ( -- under the name of the core, for its own program, and under '', for that of every core
  SELECT build, unnest(list_distinct([coalesce(core, ''), ''])) AS core, address, isa, executed, failed, unknown, executions, timed, cycles, cycles_spread
  FROM counts_all),
n AS (
  SELECT build, core, address, isa, sum(executed)::BIGINT AS executed, sum(failed)::BIGINT AS failed, sum(unknown)::BIGINT AS unknown,
         sum(executions)::BIGINT AS executions, sum(timed)::BIGINT AS timed, sum(cycles)::BIGINT AS cycles, sum(cycles_spread) AS cycles_spread
  FROM ran GROUP BY build, core, address, isa)
SELECT p.*, coalesce(n.executed + n.unknown, 0) > 0 AS covered, coalesce(n.executions, 0) > 0 AS reached,
       coalesce(n.executed, 0) AS executed, coalesce(n.failed, 0) AS failed, coalesce(n.unknown, 0) AS unknown,
       coalesce(n.executions, 0) AS executions, coalesce(n.timed, 0) AS timed, n.cycles, n.cycles_spread
FROM program p LEFT JOIN n ON n.build = p.build AND n.core = coalesce(p.core, '') AND n.address = p.address AND n.isa = p.isa;
