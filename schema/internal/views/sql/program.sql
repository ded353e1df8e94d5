-- One row per instruction of a program, with its function and source line.
-- build VARCHAR: The build, in builds.
-- core VARCHAR: Core that the program belongs to; NULL: every core.
-- address BIGINT: Address of the instruction.
-- size INTEGER: Length of the instruction: 2 or 4. Unit: bytes.
-- isa VARCHAR: Instruction set.
-- opcode BIGINT: The instruction in the program; a 32-bit T32 one has its first halfword in the high half.
-- kind VARCHAR: Class of the instruction, by its opcode alone.
-- conditional BOOLEAN: True: it has a condition, of its own or of an IT block.
-- branches BOOLEAN: True: it can leave the straight line: its kind is not other, and not barrier.
-- target BIGINT: Target of a direct branch; NULL for others.
-- function INTEGER: Ordinal of its function, in functions of the same core; NULL: in none, as padding is.
-- name VARCHAR: Name of that function: several may have the same one.
-- file VARCHAR: Source file of the instruction; NULL if it is not known.
-- line BIGINT: Line in it; NULL if it is not known.
WITH c AS (
  SELECT b.build, c.* FROM code c JOIN builds b USING (dataset) WHERE c.section IS NOT NULL AND c.dataset = b.first_dataset
  UNION ALL -- without a program file, code is what this dataset executed
  SELECT DISTINCT ON (b.build, c.core, c.address, c.isa) b.build, c.* FROM code c JOIN builds b USING (dataset) WHERE c.section IS NULL
)
SELECT c.build, c.core, c.address, c.size, c.isa, c.opcode, c.kind, c.conditional,
       c.kind NOT IN ('other', 'barrier') AS branches,
       c.target, c.function, f.name, l.file, l.line
FROM c
LEFT JOIN functions f ON f.dataset = c.dataset AND f.core IS NOT DISTINCT FROM c.core AND f.function = c.function
LEFT JOIN lines l ON l.dataset = c.dataset AND l.core IS NOT DISTINCT FROM c.core AND l.address = c.address AND l.inline_depth = 0;
