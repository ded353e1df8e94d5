-- What ran just before a byte of the capture?
-- Parameters: byte_offset, by default 20000; n, how many instructions of each source, by default 12.
SELECT i.dataset, i.source, i.seq, i.byte_offset, hex8(i.address) AS address, p.name, p.file || ':' || p.line AS location
FROM before_offset(coalesce(getvariable('byte_offset'), 20000), coalesce(getvariable('n'), 12)) i
LEFT JOIN places p USING (dataset, source, address) ORDER BY i.dataset, i.source, i.seq;

-- Answer of sample, 12 rows:
-- dataset | source | seq | byte_offset | address | name | location
-- sample | 16 | 69793 | 19994 | 0x40008b22 | interpret.constprop.0 | script.c:48
-- sample | 16 | 69794 | 19994 | 0x40008b24 | interpret.constprop.0 | script.c:48
-- sample | 16 | 69795 | 19995 | 0x40008afa | interpret.constprop.0 | script.c:48
-- sample | 16 | 69796 | 19995 | 0x40008afe | interpret.constprop.0 | script.c:48
-- sample | 16 | 69797 | 19995 | 0x40008b00 | interpret.constprop.0 | script.c:48
-- sample | 16 | 69798 | 19996 | 0x40008b02 | interpret.constprop.0 | script.c:48
-- sample | 16 | 69799 | 19998 | 0x40008b26 | interpret.constprop.0 | script.c:74
-- sample | 16 | 69800 | 19998 | 0x40008b28 | interpret.constprop.0 | script.c:74
-- …
