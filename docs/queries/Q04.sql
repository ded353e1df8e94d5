-- Which source lines are covered, and how often did they run?
-- A line is covered if any of its instructions is; executions are those of the instruction that ran most often.
SELECT file, line, covered, executions, instructions, instructions_covered, reached_only
FROM coverage_lines ORDER BY build, file, line;
