-- The rows of counts by the rows of instructions: no row is in one and not in the
-- other. cycles_spread is not among them: rows do not say which runs they were.
WITH timed AS (
  SELECT DISTINCT source, epoch, true AS has_cycles FROM instructions WHERE cycles IS NOT NULL),
want AS (
  SELECT source, address, isa, count(*) FILTER (executed) AS executed, count(*) FILTER (NOT executed) AS failed,
         count(*) FILTER (executed IS NULL) AS unknown, min(seq) AS first_seq, count(has_cycles) AS timed, sum(cycles)::BIGINT AS cycles
  FROM instructions LEFT JOIN timed USING (source, epoch) GROUP BY ALL),
got AS (SELECT source, address, isa, executed, failed, unknown, first_seq, timed, cycles FROM counts)
SELECT 'missing' AS what, * FROM (FROM want EXCEPT FROM got) UNION ALL SELECT 'too many', * FROM (FROM got EXCEPT FROM want);
