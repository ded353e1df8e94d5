-- One row per source and executed address that is no instruction of the program: memory changed at run time, or another program ran.
-- source INTEGER: CoreSight trace ID; 0 for a raw dump.
-- address BIGINT: Address that was executed.
-- isa VARCHAR: Instruction set.
-- executions BIGINT: How often it was executed.
-- dataset VARCHAR: Name of the directory of the dataset, its whole path where names are alike.
SELECT c.source, c.address, c.isa, c.executed + c.failed + c.unknown AS executions, c.dataset
FROM counts c JOIN sources s USING (dataset, source)
WHERE NOT EXISTS (FROM code p WHERE p.dataset = c.dataset AND p.address = c.address AND p.isa = c.isa AND p.core IS NULL)
  AND NOT EXISTS (FROM code p WHERE p.dataset = c.dataset AND p.address = c.address AND p.isa = c.isa AND p.core = s.core);
