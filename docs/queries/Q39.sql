-- When did the task change, from which to which, and how long did each run?
-- Needs Context IDs in the trace. Cycles are those between the last counts before two changes; NULL without counts, and across a gap.
WITH c AS (
  SELECT dataset, source, seq, byte_offset, context_id FROM contexts
  QUALIFY context_id IS DISTINCT FROM lag(context_id) OVER (PARTITION BY dataset, source ORDER BY seq, byte_offset)),
t AS ( -- with the last count before it
  SELECT c.*, n.epoch, n.cycle
  FROM c ASOF LEFT JOIN (SELECT dataset, source, seq, epoch, cycle FROM cycle_counts WHERE cycle IS NOT NULL) n
    ON n.dataset = c.dataset AND n.source = c.source AND n.seq < c.seq)
SELECT dataset, source, seq, byte_offset, lag(context_id) OVER w AS from_context, context_id, lead(seq) OVER w - seq AS instructions,
       CASE WHEN lead(epoch) OVER w = epoch THEN lead(cycle) OVER w - cycle END AS cycles
FROM t WINDOW w AS (PARTITION BY dataset, source ORDER BY seq, byte_offset) ORDER BY dataset, source, seq, byte_offset;

-- Answer of sample, 54 rows:
-- dataset | source | seq | byte_offset | from_context | context_id | instructions | cycles
-- sample | 16 | 0 | 7 | NULL | 0 | 6220 | NULL
-- sample | 16 | 6220 | 2285 | 0 | 1 | 4016 | 5766
-- sample | 16 | 10236 | 3040 | 1 | 2 | 4016 | 9783
-- sample | 16 | 14252 | 4584 | 2 | 3 | 4016 | 8428
-- sample | 16 | 18268 | 5448 | 3 | 4 | 4016 | 7693
-- sample | 16 | 22284 | 6833 | 4 | 5 | 89 | 483
-- sample | 16 | 22373 | 6917 | 5 | 1 | 3927 | 5442
-- sample | 16 | 26300 | 7655 | 1 | 2 | 4016 | 9555
-- …
