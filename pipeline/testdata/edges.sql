-- The rows of edges by the rows of instructions, and by what is between them: no
-- row is in one and not in the other.
WITH marks AS (
  SELECT source, seq, byte_offset, ordinal, 'entry' AS mark, return_address FROM exceptions WHERE event = 'entry'
  UNION ALL
  SELECT source, seq, byte_offset, NULL, 'gap', NULL FROM events WHERE event IN ('trace_on', 'overflow', 'unmapped', 'no_address', 'jazelle', 'discontinuity')
  UNION ALL
  SELECT source, seq, byte_offset, NULL, 'gap', NULL FROM losses),
between_instructions AS (
  SELECT *, row_number() OVER w AS k, bool_or(mark = 'gap') OVER w AS after_gap,
         lead(mark) OVER w AS next_mark, lead(return_address) OVER w AS next_return
  FROM marks WINDOW w AS (PARTITION BY source, seq ORDER BY byte_offset, ordinal ROWS UNBOUNDED PRECEDING)),
steps AS (
  SELECT source, seq + 1 AS seq, address, kind, cycles, lead(address) OVER (PARTITION BY source ORDER BY seq) AS next_address,
         CASE executed WHEN true THEN 'taken' WHEN false THEN 'not_taken' ELSE 'unknown' END AS outcome
  FROM instructions),
whole AS (
  SELECT * FROM steps ANTI JOIN (SELECT source, seq FROM events WHERE event = 'debug_exit') USING (source, seq)
  WHERE next_address IS NOT NULL),
taken AS (
  SELECT source, address AS from_address, CASE mark WHEN 'entry' THEN return_address WHEN 'gap' THEN NULL ELSE next_address END AS to_address,
         kind, outcome, cycles
  FROM whole LEFT JOIN (FROM between_instructions WHERE k = 1) USING (source, seq)
  WHERE kind NOT IN ('other', 'barrier')
  UNION ALL
  SELECT source, address, CASE next_mark WHEN 'entry' THEN next_return WHEN 'gap' THEN NULL ELSE next_address END, 'exception', 'taken', cycles
  FROM whole JOIN between_instructions USING (source, seq)
  WHERE mark = 'entry' AND NOT after_gap),
want AS (
  SELECT source, from_address, to_address, kind, outcome, count(*) AS n, sum(cycles)::BIGINT AS cycles
  FROM taken WHERE to_address IS NOT NULL GROUP BY ALL),
got AS (SELECT source, from_address, to_address, kind, outcome, n, cycles FROM edges)
SELECT 'missing' AS what, * FROM (FROM want EXCEPT FROM got) UNION ALL SELECT 'too many', * FROM (FROM got EXCEPT FROM want);
