-- What ran just before a byte of the capture?
-- Parameters: byte_offset, by default 20000; n, how many instructions of each source, by default 12.
SELECT i.dataset, i.source, i.seq, i.byte_offset, hex8(i.address) AS address, p.name, p.file || ':' || p.line AS location
FROM before_offset(coalesce(getvariable('byte_offset'), 20000), coalesce(getvariable('n'), 12)) i
LEFT JOIN places p USING (dataset, source, address) ORDER BY i.dataset, i.source, i.seq;
