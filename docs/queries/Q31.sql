-- Which single instructions were the costliest?
-- Stalls, waits, cache misses. In PFT the cycles are those of the run that ends there. None without cycles.
SELECT i.dataset, i.source, i.seq, i.cycles, hex8(i.address) AS address, p.name, p.file || ':' || p.line AS location, i.kind
FROM (SELECT * FROM instructions WHERE cycles IS NOT NULL ORDER BY cycles DESC, dataset, source, seq LIMIT 10) i
LEFT JOIN places p USING (dataset, source, address) ORDER BY i.cycles DESC, i.dataset, i.source, i.seq;

-- Answer of sample, 10 rows:
-- dataset | source | seq | cycles | address | name | location | kind
-- sample | 16 | 178897 | 150 | 0x400081c0 | next | kernel.c:69 | branch
-- sample | 16 | 182913 | 150 | 0x400081c0 | next | kernel.c:69 | branch
-- sample | 16 | 186929 | 150 | 0x400081c0 | next | kernel.c:69 | branch
-- sample | 16 | 190945 | 150 | 0x400081c0 | next | kernel.c:69 | branch
-- sample | 16 | 194961 | 150 | 0x400081c0 | next | kernel.c:69 | branch
-- sample | 16 | 198977 | 150 | 0x400081c0 | next | kernel.c:69 | branch
-- sample | 16 | 202993 | 150 | 0x400081c0 | next | kernel.c:69 | branch
-- sample | 16 | 207009 | 150 | 0x400081c0 | next | kernel.c:69 | branch
-- …
