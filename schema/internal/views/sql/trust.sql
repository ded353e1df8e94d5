-- One row per source: how much of the trace was decoded, and whether the program is the one that ran. What is not covered was not seen, which means that it never ran only if all was decoded, without gaps.
-- source INTEGER: CoreSight trace ID; 0 for a raw dump.
-- name VARCHAR: Name in the snapshot; NULL if it has none.
-- protocol VARCHAR: Trace protocol: pft, etmv3 …; NULL if it is not known.
-- core VARCHAR: Core that is traced; NULL if it is not known.
-- status VARCHAR: What became of it; decoded: its decoder ran, even if it decoded nothing.
-- bytes BIGINT: Length of the stream: bytes_decoded and bytes_lost together. Unit: bytes.
-- decoded_pct DOUBLE: Percentage of them in packets that were understood; NULL without bytes.
-- bytes_lost BIGINT: Bytes not understood: the sum of its losses. Unit: bytes.
-- losses BIGINT: Rows in losses.
-- bytes_unplaced BIGINT: Of the decoded: bytes of instructions that have no row, as their address or the memory there is not known. Unit: bytes.
-- placed_pct DOUBLE: Percentage of decoded bytes whose instructions have rows; NULL if nothing was decoded.
-- gaps BIGINT: Restarts of trace but the first, as in summary; NULL if events were not exported.
-- instructions BIGINT: Instructions in all.
-- unknown BIGINT: Of how many of them the trace does not say whether they passed their condition.
-- unknown_pct DOUBLE: Percentage of that; NULL without instructions.
-- timed_pct DOUBLE: Percentage of them in epochs that have cycles; NULL without instructions.
-- outside_code BIGINT: Addresses in outside_code; NULL without a program file.
-- outside_executions BIGINT: How often those were executed; NULL without a program file.
-- image_match DOUBLE: Share of the executed addresses of a program file whose opcode is equal, from 0 to 1, the least of its program files; NULL without one, and if nothing was executed in it.
-- agreement DOUBLE: Share of branch packets and periodic I-syncs that agree with the program, from 0 to 1; NULL without checks.
-- checks BIGINT: How many of them were compared; NULL if none could be.
-- program_agrees BOOLEAN: False: image_match is below 0.99, or agreement below 0.9 with at least 20 checks: another program ran, and names and percentages mean nothing. NULL if there is neither.
-- build VARCHAR: The build, in builds.
-- dataset VARCHAR: Name of the directory of the dataset, its whole path where names are alike.
WITH n AS (
  SELECT dataset, source, sum(executed + failed + unknown) AS executions, sum(unknown) AS unknown, sum(timed) AS timed
  FROM counts GROUP BY dataset, source),
o AS (SELECT dataset, source, count(DISTINCT address) AS outside_code, sum(executions)::BIGINT AS executions FROM outside_code GROUP BY dataset, source),
f AS ( -- of each program file: addresses executed in it, and those that match
  SELECT s.dataset, s.source, i.sha256, i.code_sha256, count(DISTINCT c.address) AS executed, count(DISTINCT c.address) * any_value(i.match) AS matching
  FROM sources s JOIN images i ON i.dataset = s.dataset AND (i.core IS NULL OR i.core = s.core)
  LEFT JOIN sources o ON o.dataset = s.dataset AND (i.core IS NULL OR i.core = o.core)
  LEFT JOIN counts c ON c.dataset = o.dataset AND c.source = o.source AND c.address >= i.address AND c.address < i.address + i.bytes
  WHERE i.role = 'symbols' GROUP BY s.dataset, s.source, i.sha256, i.code_sha256, i.image),
m AS (
  SELECT dataset, source, min(share) AS image_match
  FROM (SELECT dataset, source, sum(matching) / nullif(sum(executed), 0) AS share FROM f GROUP BY dataset, source, sha256, code_sha256)
  GROUP BY dataset, source)
SELECT s.source, s.name, s.protocol, s.core, s.status, s.bytes, pct(s.bytes_decoded, s.bytes) AS decoded_pct, s.bytes_lost, s.losses,
       s.bytes_unplaced, pct(s.bytes_decoded - s.bytes_unplaced, s.bytes_decoded) AS placed_pct, y.gaps, s.instructions,
       coalesce(n.unknown, 0)::BIGINT AS unknown, pct(n.unknown, n.executions) AS unknown_pct, pct(n.timed, n.executions) AS timed_pct,
       CASE WHEN m.dataset IS NOT NULL THEN coalesce(o.outside_code, 0) END AS outside_code,
       CASE WHEN m.dataset IS NOT NULL THEN coalesce(o.executions, 0) END AS outside_executions,
       m.image_match, s.agreement, s.branch_checks + s.isync_checks AS checks,
       CASE WHEN m.image_match IS NULL AND s.agreement IS NULL THEN NULL
            ELSE coalesce(m.image_match, 1) >= 0.99 AND (coalesce(s.agreement, 1) >= 0.9 OR s.branch_checks + s.isync_checks < 20) END AS program_agrees,
       b.build, s.dataset
FROM sources s JOIN builds b USING (dataset) JOIN summary y USING (dataset, source)
LEFT JOIN n USING (dataset, source) LEFT JOIN o USING (dataset, source) LEFT JOIN m USING (dataset, source);
