-- One row per conditional branch that was executed: which way it went, and at what cost. From edges, so without executions that a gap or a loss follows.
-- build VARCHAR: The build, in builds.
-- core VARCHAR: Core that executed it; NULL if it is not known.
-- address BIGINT: Address of the branch.
-- kind VARCHAR: Class of the instruction, by its opcode alone.
-- function INTEGER: Ordinal of its function; NULL: in none.
-- name VARCHAR: Name of that function: several may have the same one.
-- file VARCHAR: Source file of the branch; NULL if it is not known.
-- line BIGINT: Line in it; NULL if it is not known.
-- taken BIGINT: How often it was taken.
-- not_taken BIGINT: How often it was not taken.
-- unknown BIGINT: How often the trace does not say which way it went.
-- taken_pct DOUBLE: Percentage of taken among taken and not_taken; NULL if there is neither.
-- targets BIGINT: How many different addresses came next when it was taken.
-- taken_cycles BIGINT: Own cycles of the branch when it was taken; NULL if the trace gives none. Unit: cycles.
-- not_taken_cycles BIGINT: Own cycles when it was not; NULL if the trace gives none. Unit: cycles.
WITH e AS (
  SELECT b.build, s.core, e.from_address AS address, e.kind, coalesce(sum(e.n) FILTER (outcome = 'taken'), 0)::BIGINT AS taken,
         coalesce(sum(e.n) FILTER (outcome = 'not_taken'), 0)::BIGINT AS not_taken, coalesce(sum(e.n) FILTER (outcome = 'unknown'), 0)::BIGINT AS unknown,
         count(DISTINCT e.to_address) FILTER (outcome = 'taken') AS targets,
         sum(e.cycles) FILTER (outcome = 'taken')::BIGINT AS taken_cycles, sum(e.cycles) FILTER (outcome = 'not_taken')::BIGINT AS not_taken_cycles
  FROM edges e JOIN sources s USING (dataset, source) JOIN builds b USING (dataset)
  WHERE e.kind <> 'exception' GROUP BY b.build, s.core, e.from_address, e.kind),
p AS (SELECT c.build, c.core AS ran_on, p.* EXCLUDE (build, core) FROM (SELECT DISTINCT build, core FROM e) c JOIN program p ON p.build = c.build AND (p.core IS NULL OR p.core = c.core) WHERE p.conditional)
SELECT e.build, e.core, e.address, e.kind, p.function, p.name, p.file, p.line, e.taken, e.not_taken, e.unknown,
       pct(e.taken, e.taken + e.not_taken) AS taken_pct, e.targets, e.taken_cycles, e.not_taken_cycles
FROM e JOIN p ON p.build = e.build AND p.ran_on IS NOT DISTINCT FROM e.core AND p.address = e.address AND p.branches;
