-- Which tasks ran, how often did each have its turn, and what did it take?
-- Tasks are told apart by their stacks, with or without Context ID. The share is of cycles if the trace has them, else of instructions.
SELECT dataset, source, task, name, context_id, origin, switches, instructions, cycles,
       round(100 * coalesce(cycles, instructions) / sum(coalesce(cycles, instructions)) OVER (PARTITION BY dataset, source), 2) AS share_pct
FROM tasks ORDER BY dataset, source, share_pct DESC, task;

-- Answer of sample, 6 rows:
-- dataset | source | task | name | context_id | origin | switches | instructions | cycles | share_pct
-- sample | 16 | 1 | sort_task | 2 | new | 15 | 94212 | 208963 | 47.4
-- sample | 16 | 3 | script_task | 4 | new | 14 | 53947 | 99720 | 22.62
-- sample | 16 | 5 | checksum_task | 1 | new | 11 | 33892 | 55390 | 12.57
-- sample | 16 | 2 | matrix_task | 3 | new | 7 | 25324 | 51275 | 11.63
-- sample | 16 | 0 | _start | 0 | start | 0 | 10247 | 20595 | 4.67
-- sample | 16 | 4 | fault_task | 5 | new | 5 | 727 | 4868 | 1.1
