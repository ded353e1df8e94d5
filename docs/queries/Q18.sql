-- Which tasks ran, how often did each have its turn, and what did it take?
-- Tasks are told apart by their stacks, with or without Context ID. The share is of cycles if the trace has them, else of instructions.
SELECT dataset, source, task, name, context_id, origin, switches, instructions, cycles,
       round(100 * coalesce(cycles, instructions) / sum(coalesce(cycles, instructions)) OVER (PARTITION BY dataset, source), 2) AS share_pct
FROM tasks ORDER BY dataset, source, share_pct DESC, task;

-- Answer of sample, 7 rows:
-- dataset | source | task | name | context_id | origin | switches | instructions | cycles | share_pct
-- sample | 16 | 3 | sort_task | 2 | new | 15 | 91461 | 197886 | 44.89
-- sample | 16 | 5 | script_task | 4 | new | 14 | 52894 | 96699 | 21.94
-- sample | 16 | 1 | checksum_task | 1 | new | 12 | 37552 | 59757 | 13.56
-- sample | 16 | 4 | matrix_task | 3 | new | 7 | 24898 | 49399 | 11.21
-- sample | 16 | 2 | [irq 14] | NULL | exception | 0 | 4585 | 17312 | 3.93
-- sample | 16 | 0 | _start | 0 | start | 0 | 6232 | 14890 | 3.38
-- sample | 16 | 6 | fault_task | 5 | new | 5 | 727 | 4868 | 1.1
