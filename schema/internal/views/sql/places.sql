-- One row per source and instruction of the program that it runs: join it to rows of instructions, of counts and of edges by dataset, source and address.
-- source INTEGER: CoreSight trace ID; 0 for a raw dump.
-- address BIGINT: Address of the instruction.
-- size INTEGER: Length of the instruction: 2 or 4. Unit: bytes.
-- isa VARCHAR: Instruction set.
-- kind VARCHAR: Class of the instruction, by its opcode alone.
-- conditional BOOLEAN: True: it has a condition, of its own or of an IT block.
-- target BIGINT: Target of a direct branch; NULL for others.
-- function INTEGER: Ordinal of its function, in functions of the same core; NULL: in none, as padding is.
-- name VARCHAR: Name of that function: several may have the same one.
-- file VARCHAR: Source file of the instruction; NULL if it is not known.
-- line BIGINT: Line in it; NULL if it is not known.
-- core VARCHAR: Core that the program belongs to; NULL: every core.
-- build VARCHAR: The build, in builds.
-- dataset VARCHAR: Name of the directory of the dataset, its whole path where names are alike.
SELECT s.source, p.address, p.size, p.isa, p.kind, p.conditional, p.target, p.function, p.name, p.file, p.line, p.core, p.build, s.dataset
FROM sources s JOIN builds b USING (dataset)
JOIN program p ON p.build = b.build AND (p.core IS NULL OR p.core = s.core);
