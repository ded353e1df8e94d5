-- What is covered, from the blocks level, without expanding it?
-- For datasets of level blocks. It is what coverage has from counts, and counts what was executed outside the program apart.
WITH runs AS (SELECT dataset, source, code_block, first, instructions, failed, outcome, count(*) AS n FROM blocks GROUP BY ALL),
ran AS (
  SELECT DISTINCT d.dataset, d.source, d.address, d.isa
  FROM runs b JOIN code_blocks d ON d.dataset = b.dataset AND d.source = b.source AND d.code_block = b.code_block
   AND d.position >= b.first AND d.position < b.first + b.instructions
  WHERE NOT CASE WHEN d.position = b.first + b.instructions - 1 THEN b.outcome = 'not_taken'
                 ELSE coalesce((b.failed >> (d.position - b.first)) & 1 = 1, false) END)
SELECT count(DISTINCT r.address) FILTER (p.function IS NOT NULL) AS covered,
       (SELECT sum(covered)::BIGINT FROM coverage) AS covered_by_counts, (SELECT sum(instructions)::BIGINT FROM coverage) AS total,
       count(DISTINCT r.address) FILTER (p.address IS NULL) AS outside_code
FROM ran r LEFT JOIN places p USING (dataset, source, address, isa);

-- Answer of blocks, 1 row:
-- covered | covered_by_counts | total | outside_code
-- 774 | 774 | 790 | 0
