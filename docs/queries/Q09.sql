-- Where do instructions and cycles go, by function?
-- The own cost of functions, without what they call. Where counts come only with waypoints (PFT), the cost of a run is spread over its instructions; ipc is of all instructions in epochs that have cycles.
SELECT name, entries, instructions, instructions_pct, cycles, cycles_pct, round(ipc, 3) AS ipc
FROM hot_functions ORDER BY coalesce(cycles, instructions) DESC, instructions DESC, function LIMIT 20;

-- Answer of sample, 20 rows:
-- name | entries | instructions | instructions_pct | cycles | cycles_pct | ipc
-- quicksort | 120 | 46749 | 21.41 | 107220 | 24.44 | 0.436
-- multiply.constprop.0 | 6 | 21468 | 9.83 | 41323 | 9.42 | 0.52
-- checksum_task | 1 | 24641 | 11.29 | 35822 | 8.17 | 0.688
-- by_digits | 1509 | 22719 | 10.4 | 35543 | 8.1 | 0.639
-- fibonacci | 953 | 15318 | 7.02 | 30347 | 6.92 | 0.505
-- interpret.constprop.0 | 1 | 11316 | 5.18 | 29598 | 6.75 | 0.382
-- collatz | 60 | 21612 | 9.9 | 28522 | 6.5 | 0.758
-- crc32.constprop.0 | 6 | 12330 | 5.65 | 21937 | 5 | 0.562
-- …
