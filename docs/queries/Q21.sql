-- How often do loops go round?
-- A loop is a branch back, by address, within its function; a visit of its first instruction that does not come by such a branch enters it. A loop that a switch of tasks, a gap or a loss cuts counts as two, so its least number of trips is not to be trusted.
WITH heads AS (
  SELECT DISTINCT p.dataset, p.source, p.target AS address, p.function, p.name
  FROM places p JOIN places t ON t.dataset = p.dataset AND t.source = p.source AND t.address = p.target AND t.function = p.function
  WHERE p.kind = 'branch' AND p.target <= p.address),
steps AS (
  SELECT dataset, source, seq, address, lag(address) OVER w AS from_address, lag(kind) OVER w AS from_kind, lag(executed) OVER w AS from_executed
  FROM instructions WINDOW w AS (PARTITION BY dataset, source ORDER BY seq)),
visits AS (
  SELECT s.dataset, s.source, s.seq, h.address, h.function, h.name,
         CASE WHEN s.from_kind = 'exception_return' THEN 0
              WHEN s.from_kind = 'branch' AND s.from_executed AND s.from_address >= h.address AND p.function = h.function THEN 0 ELSE 1 END AS entered
  FROM steps s JOIN heads h USING (dataset, source, address)
  LEFT JOIN places p ON p.dataset = s.dataset AND p.source = s.source AND p.address = s.from_address),
loops AS (SELECT *, sum(entered) OVER (PARTITION BY dataset, source, address ORDER BY seq ROWS UNBOUNDED PRECEDING) AS loop FROM visits),
trips AS (SELECT dataset, source, address, function, name, loop, count(*) AS trips FROM loops GROUP BY ALL)
SELECT name, hex8(address) AS head, count(*) AS entered, sum(trips)::BIGINT AS iterations, min(trips) AS least, median(trips) AS median,
       quantile_disc(trips, 0.99) AS p99, max(trips) AS most
FROM trips t GROUP BY dataset, source, name, t.address ORDER BY iterations DESC, t.address, dataset, source;

-- Answer of sample, 42 rows:
-- name | head | entered | iterations | least | median | p99 | most
-- multiply.constprop.0 | 0x4000892e | 384 | 3072 | 8 | 8 | 8 | 8
-- collatz | 0x40008a6c | 60 | 3036 | 5 | 38.5 | 127 | 127
-- checksum_task | 0x40008898 | 256 | 2048 | 8 | 8 | 8 | 8
-- _start | 0x40008044 | 1 | 2033 | 2033 | 2033 | 2033 | 2033
-- crc32.constprop.0 | 0x4000883e | 6 | 1536 | 256 | 256 | 256 | 256
-- checksum_task | 0x400088c0 | 6 | 1536 | 256 | 256 | 256 | 256
-- quicksort | 0x400085e0 | 117 | 1478 | 2 | 7 | 56 | 87
-- quicksort | 0x40008608 | 1 | 1103 | 1103 | 1103 | 1103 | 1103
-- …
