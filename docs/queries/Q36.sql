-- Does every instruction follow from the one before? No row is right.
-- Nothing follows across an exception, a restart, a loss, or where events says that the trace contradicts the program or that memory is missing.
WITH s AS (
  SELECT dataset, source, seq, address, size, kind, executed, lead(address) OVER w AS next_address, lead(seq) OVER w AS next_seq
  FROM instructions WINDOW w AS (PARTITION BY dataset, source ORDER BY seq)),
cuts AS (
  SELECT dataset, source, seq - 1 AS seq FROM exceptions UNION SELECT dataset, source, seq - 1 FROM losses
  UNION SELECT dataset, source, seq - 1 FROM events WHERE event IN ('trace_on', 'overflow', 'debug_exit', 'inconsistent', 'discontinuity', 'unmapped', 'no_address', 'bad_isync', 'jazelle'))
SELECT s.dataset, s.source, s.seq, hex8(s.address) AS address, hex8(s.next_address) AS next_address
FROM s LEFT JOIN places p USING (dataset, source, address) ANTI JOIN cuts USING (dataset, source, seq)
WHERE s.next_address IS NOT NULL AND (s.next_seq <> s.seq + 1
   OR (s.kind IN ('other', 'barrier') AND s.next_address <> s.address + s.size)
   OR (s.kind = 'branch' AND s.executed AND s.next_address <> p.target)
   OR (s.kind = 'branch' AND NOT s.executed AND s.next_address <> s.address + s.size))
ORDER BY s.dataset, s.source, s.seq;

-- Answer of sample, 0 rows:
-- dataset | source | seq | address | next_address
