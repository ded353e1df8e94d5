-- One row per pair of a call and what it called.
-- build VARCHAR: The build, in builds.
-- core VARCHAR: Core that executed it; NULL if it is not known.
-- from_address BIGINT: Address of the call.
-- caller INTEGER: Ordinal of the function it is in; NULL: in none.
-- caller_name VARCHAR: Name of that function: several may have the same one.
-- file VARCHAR: Source file of the call; NULL if it is not known.
-- line BIGINT: Line in it; NULL if it is not known.
-- to_address BIGINT: Address of the next instruction.
-- callee INTEGER: Ordinal of the function that is in; NULL: in none, as a veneer may be.
-- callee_name VARCHAR: Name of that function: several may have the same one.
-- kind VARCHAR: Direct call, or indirect_call.
-- calls BIGINT: How often. Calls that a gap or a loss follows are not counted.
WITH e AS (
  SELECT b.build, s.core, e.from_address, e.to_address, e.kind, sum(e.n)::BIGINT AS calls
  FROM edges e JOIN sources s USING (dataset, source) JOIN builds b USING (dataset)
  WHERE e.kind IN ('call', 'indirect_call') AND e.outcome <> 'not_taken' GROUP BY b.build, s.core, e.from_address, e.to_address, e.kind),
p AS (SELECT c.build, c.core AS ran_on, p.* EXCLUDE (build, core) FROM (SELECT DISTINCT build, core FROM e) c JOIN program p ON p.build = c.build AND (p.core IS NULL OR p.core = c.core))
SELECT e.build, e.core, e.from_address, f.function AS caller, f.name AS caller_name, f.file, f.line,
       e.to_address, t.function AS callee, t.name AS callee_name, e.kind, e.calls
FROM e
LEFT JOIN p f ON f.build = e.build AND f.ran_on IS NOT DISTINCT FROM e.core AND f.address = e.from_address
LEFT JOIN p t ON t.build = e.build AND t.ran_on IS NOT DISTINCT FROM e.core AND t.address = e.to_address;
