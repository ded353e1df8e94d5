-- One row per conditional branch of a program, each of which has two outcomes to cover. That both were seen is object branch coverage; it is not decision coverage, and not MC/DC.
-- build VARCHAR: The build, in builds.
-- core VARCHAR: Core that the program belongs to; NULL: every core.
-- address BIGINT: Address of the branch.
-- kind VARCHAR: Class of the instruction, by its opcode alone.
-- target BIGINT: Target of a direct branch; NULL for others.
-- function INTEGER: Ordinal of its function, in functions of the same core.
-- name VARCHAR: Name of that function: several may have the same one.
-- file VARCHAR: Source file of the branch; NULL if it is not known.
-- line BIGINT: Line in it; NULL if it is not known.
-- verdict VARCHAR: What was seen of it. One of both, always_taken, never_taken, unknown (it ran, and the trace never says which way), never_reached.
-- taken BIGINT: How often it was taken.
-- not_taken BIGINT: How often it was not taken.
-- unknown BIGINT: How often the trace does not say which way it went.
SELECT build, core, address, kind, target, function, name, file, line,
       CASE WHEN NOT reached THEN 'never_reached' WHEN executed > 0 AND failed > 0 THEN 'both'
            WHEN executed > 0 THEN 'always_taken' WHEN failed > 0 THEN 'never_taken' ELSE 'unknown' END AS verdict,
       executed AS taken, failed AS not_taken, unknown
FROM coverage_instructions WHERE conditional AND branches AND function IS NOT NULL;
