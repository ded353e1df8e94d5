-- Which single instructions were the costliest?
-- Stalls, waits, cache misses. In PFT the cycles are those of the run that ends there. None without cycles.
SELECT i.dataset, i.source, i.seq, i.cycles, hex8(i.address) AS address, p.name, p.file || ':' || p.line AS location, i.kind
FROM (SELECT * FROM instructions WHERE cycles IS NOT NULL ORDER BY cycles DESC, dataset, source, seq LIMIT 10) i
LEFT JOIN places p USING (dataset, source, address) ORDER BY i.cycles DESC, i.dataset, i.source, i.seq;
