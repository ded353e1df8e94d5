-- Where in a function does the cost lie, instruction by instruction?
-- Parameter: function_name, of which all functions of that name are shown; by default the hottest one.
WITH hottest AS (SELECT build, core, function FROM hot_functions WHERE function IS NOT NULL ORDER BY coalesce(cycles, instructions) DESC, function LIMIT 1),
f AS (
  SELECT i.* FROM coverage_instructions i LEFT JOIN hottest h ON h.build = i.build AND h.core IS NOT DISTINCT FROM i.core AND h.function = i.function
  WHERE i.name = getvariable('function_name') OR (getvariable('function_name') IS NULL AND h.build IS NOT NULL))
SELECT name, hex8(address) AS address, printf(CASE size WHEN 2 THEN '%04x' ELSE '%08x' END, opcode) AS opcode, kind, line, executions, failed,
       round(cycles_spread)::BIGINT AS cycles, round(cycles_spread / nullif(timed, 0), 2) AS cycles_each,
       repeat('#', (20 * coalesce(cycles_spread, executions) / max(coalesce(cycles_spread, executions)) OVER ())::INTEGER) AS heat
FROM f ORDER BY f.build, f.address;

-- Answer of sample, 88 rows:
-- name | address | opcode | kind | line | executions | failed | cycles | cycles_each | heat
-- quicksort | 0x4000859c | e3510007 | other | 30 | 120 | 0 | 322 | 2.68 | #
-- quicksort | 0x400085a0 | e16d42f4 | other | 29 | 120 | 0 | 322 | 2.68 | #
-- quicksort | 0x400085a4 | e1a05002 | other | 29 | 120 | 0 | 322 | 2.68 | #
-- quicksort | 0x400085a8 | e1cd60f8 | other | 29 | 120 | 0 | 322 | 2.68 | #
-- quicksort | 0x400085ac | e1cd81f0 | other | 29 | 120 | 0 | 322 | 2.68 | #
-- quicksort | 0x400085b0 | e1cda1f8 | other | 29 | 120 | 0 | 322 | 2.68 | #
-- quicksort | 0x400085b4 | e58de020 | other | 29 | 120 | 0 | 322 | 2.68 | #
-- quicksort | 0x400085b8 | e24dd00c | other | 29 | 120 | 0 | 322 | 2.68 | #
-- …
