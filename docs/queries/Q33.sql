-- Which edges does one run take that another never took?
-- Parameters: dataset_a, by default the first, and dataset_b, by default the last. Both have to be of one build: addresses are compared.
WITH d AS (
  SELECT coalesce(getvariable('dataset_a'), min(dataset)) AS a, coalesce(getvariable('dataset_b'), max(dataset)) AS b FROM sources),
e AS (SELECT build, dataset, from_address, to_address, sum(n)::BIGINT AS n FROM edges JOIN builds USING (dataset) WHERE kind <> 'exception' GROUP BY ALL),
new AS (
  SELECT b.build, b.from_address, b.to_address, b.n FROM e b, d
  WHERE b.dataset = d.b AND EXISTS (FROM builds x WHERE x.dataset = d.a AND x.build = b.build)
    AND NOT EXISTS (FROM e a WHERE a.dataset = d.a AND a.from_address = b.from_address AND a.to_address = b.to_address))
SELECT hex8(new.from_address) AS from_address, hex8(new.to_address) AS to_address, p.name, p.file || ':' || p.line AS location, new.n
FROM new LEFT JOIN program p ON p.build = new.build AND p.address = new.from_address ORDER BY new.n DESC, new.from_address, new.to_address;

-- Answer of sample and synth, 56 rows:
-- from_address | to_address | name | location | n
-- 0x400080dc | 0x400080e0 | power_off | start.S:116 | 1772
-- 0x400080e0 | 0x400080d8 | power_off | start.S:117 | 1772
-- 0x400080d4 | 0x400080d4 | unexpected | start.S:107 | 395
-- 0x40008404 | 0x40008420 | kernel_irq | kernel.c:114 | 27
-- 0x400080d0 | 0x40008a92 | data_abort_entry | start.S:102 | 4
-- 0x40008098 | 0x40008aac | resume | start.S:74 | 3
-- 0x40008098 | 0x400080d8 | resume | start.S:74 | 2
-- 0x40008098 | 0x400080e0 | resume | start.S:74 | 2
-- …
