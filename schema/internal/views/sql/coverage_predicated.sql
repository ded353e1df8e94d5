-- One row per conditional instruction of a program that is no branch: it has outcomes too, which no branch coverage shows.
-- build VARCHAR: The build, in builds.
-- core VARCHAR: Core that the program belongs to; NULL: every core.
-- address BIGINT: Address of the instruction.
-- kind VARCHAR: Class of the instruction, by its opcode alone.
-- function INTEGER: Ordinal of its function, in functions of the same core.
-- name VARCHAR: Name of that function: several may have the same one.
-- file VARCHAR: Source file of the instruction; NULL if it is not known.
-- line BIGINT: Line in it; NULL if it is not known.
-- verdict VARCHAR: What was seen of it. One of both, always_passed, always_failed, unknown (it ran, and the trace never says whether it passed), never_reached.
-- passed BIGINT: How often it passed its condition.
-- failed BIGINT: How often it failed its condition.
-- unknown BIGINT: How often the trace does not say.
SELECT build, core, address, kind, function, name, file, line,
       CASE WHEN NOT reached THEN 'never_reached' WHEN executed > 0 AND failed > 0 THEN 'both'
            WHEN executed > 0 THEN 'always_passed' WHEN failed > 0 THEN 'always_failed' ELSE 'unknown' END AS verdict,
       executed AS passed, failed, unknown
FROM coverage_instructions WHERE conditional AND NOT branches AND function IS NOT NULL;
