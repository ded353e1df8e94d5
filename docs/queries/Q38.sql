-- Do the runs of the blocks level have the rows of the other one? No row is right.
-- For a dataset of level blocks. Parameter: flat, the directory of a dataset of the same capture at level instructions.
WITH flat AS (
  SELECT source, seq, segment, byte_offset, address, size, isa, opcode, kind, executed, epoch, timestamp, context_id, vmid, security
  FROM read_parquet(coalesce(getvariable('flat'), 'flat') || '/instructions/*.parquet')),
expanded AS (
  SELECT source, seq, segment, byte_offset, address, size, isa, opcode, kind, executed, epoch, timestamp, context_id, vmid, security FROM instructions)
SELECT 'only in blocks' AS what, * FROM (FROM expanded EXCEPT ALL FROM flat)
UNION ALL
SELECT 'only in instructions', * FROM (FROM flat EXCEPT ALL FROM expanded);

-- Answer of blocks, 0 rows:
-- what | source | seq | segment | byte_offset | address | size | isa | opcode | kind | executed | epoch | timestamp | context_id | vmid | security
