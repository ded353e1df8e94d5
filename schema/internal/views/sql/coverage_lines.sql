-- One row per source line that has code. The line of an instruction is that of inline_depth 0: code that was inlined counts where it is written.
-- build VARCHAR: The build, in builds.
-- file VARCHAR: Source file.
-- line BIGINT: Line in it.
-- covered BOOLEAN: True: at least one of its instructions is covered.
-- executions BIGINT: The most that one of its instructions ran, other than failing its condition.
-- instructions BIGINT: How many instructions it has.
-- instructions_covered BIGINT: How many of them are covered: they ran, other than only failing their condition.
-- reached_only BIGINT: How many of them were reached, and only ever failed their condition.
-- unknown_only BIGINT: How many of the covered always ran where the trace does not say whether they passed.
SELECT build, file, line, bool_or(covered) AS covered, max(executed + unknown) AS executions, count(*) AS instructions,
       count(*) FILTER (covered) AS instructions_covered, count(*) FILTER (reached AND NOT covered) AS reached_only,
       count(*) FILTER (covered AND executed = 0) AS unknown_only
FROM coverage_instructions WHERE file IS NOT NULL GROUP BY build, file, line;
