-- Which source lines are the hottest?
SELECT file, line, instructions, instructions_pct, cycles, cycles_pct
FROM hot_lines ORDER BY coalesce(cycles, instructions) DESC, instructions DESC, file, line LIMIT 20;
