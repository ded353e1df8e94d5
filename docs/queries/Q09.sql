-- Where do instructions and cycles go, by function?
-- The own cost of functions, without what they call. Where counts come only with waypoints (PFT), the cost of a run is spread over its instructions; ipc is of all instructions in epochs that have cycles.
SELECT name, entries, instructions, instructions_pct, cycles, cycles_pct, round(ipc, 3) AS ipc
FROM hot_functions ORDER BY coalesce(cycles, instructions) DESC, instructions DESC, function LIMIT 20;
