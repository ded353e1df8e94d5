-- One row per stretch of instructions of a function that are not covered.
-- build VARCHAR: The build, in builds.
-- core VARCHAR: Core that the program belongs to; NULL: every core.
-- address BIGINT: Address of its first instruction.
-- bytes BIGINT: Length, from there to the end of the last instruction. Unit: bytes.
-- instructions BIGINT: How many instructions it has.
-- reached_only BIGINT: How many of them were reached, and only ever failed their condition.
-- function INTEGER: Ordinal of its function, in functions of the same core.
-- name VARCHAR: Name of that function: several may have the same one.
-- whole_function BOOLEAN: True: nothing of the function is covered.
-- file VARCHAR: Source file of its first instruction; NULL if it is not known.
-- line BIGINT: Line of that; NULL if it is not known.
WITH g AS (
  SELECT *, row_number() OVER (PARTITION BY build, core, function ORDER BY address)
          - row_number() OVER (PARTITION BY build, core, function, covered ORDER BY address) AS island,
         NOT bool_or(covered) OVER (PARTITION BY build, core, function) AS whole_function
  FROM coverage_instructions WHERE function IS NOT NULL)
SELECT build, core, min(address) AS address, max(address + size) - min(address) AS bytes, count(*) AS instructions,
       count(*) FILTER (reached) AS reached_only, function, any_value(name) AS name, bool_and(whole_function) AS whole_function,
       arg_min(file, address) AS file, arg_min(line, address) AS line
FROM g WHERE NOT covered GROUP BY build, core, function, island;
