-- When did the task change, from which to which, and how long did each run?
-- Needs Context IDs in the trace; cycles only where the count covers the first instruction of both.
WITH c AS (
  SELECT dataset, source, seq, byte_offset, context_id FROM contexts
  QUALIFY context_id IS DISTINCT FROM lag(context_id) OVER (PARTITION BY dataset, source ORDER BY seq, byte_offset)),
t AS (
  SELECT c.*, i.epoch, i.cycle
  FROM c LEFT JOIN (SELECT dataset, source, seq, epoch, cycle FROM instructions SEMI JOIN c USING (dataset, source, seq)) i USING (dataset, source, seq))
SELECT dataset, source, seq, byte_offset, lag(context_id) OVER w AS from_context, context_id, lead(seq) OVER w - seq AS instructions,
       CASE WHEN lead(epoch) OVER w = epoch THEN lead(cycle) OVER w - cycle END AS cycles
FROM t WINDOW w AS (PARTITION BY dataset, source ORDER BY seq, byte_offset) ORDER BY dataset, source, seq, byte_offset;
