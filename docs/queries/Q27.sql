-- Which functions ran in a window of time?
-- Parameters: dataset, by default the first; epoch, by default 0; from_cycle and to_cycle, by default 20000 and 30000. In PFT the cycles of a run are at its last instruction.
SELECT p.name, count(*) AS instructions, sum(i.cycles)::BIGINT AS cycles
FROM instructions i LEFT JOIN places p USING (dataset, source, address)
WHERE i.dataset = coalesce(getvariable('dataset'), (SELECT min(dataset) FROM sources)) AND i.epoch = coalesce(getvariable('epoch'), 0)
  AND i.cycle BETWEEN coalesce(getvariable('from_cycle'), 20000) AND coalesce(getvariable('to_cycle'), 30000)
GROUP BY p.core, p.function, p.name ORDER BY coalesce(sum(i.cycles), count(*)) DESC, p.name;

-- Answer of sample, 10 rows:
-- name | instructions | cycles
-- quicksort | 385 | 3354
-- random_next | 160 | 2749
-- sort_task | 321 | 1936
-- ascending | 136 | 1360
-- checksum_task | 30 | 240
-- kernel_irq | 2 | 153
-- irq_entry | 1 | 70
-- next | 4 | 69
-- …
