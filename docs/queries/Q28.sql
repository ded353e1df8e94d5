-- What kinds of instructions ran?
SELECT isa, kind, instructions, instructions_pct, failed, unknown, round(bytes_each, 2) AS bytes_each, round(cycles_each, 2) AS cycles_each
FROM instruction_mix ORDER BY build, instructions DESC, isa, kind;

-- Answer of sample, 19 rows:
-- isa | kind | instructions | instructions_pct | failed | unknown | bytes_each | cycles_each
-- a32 | other | 98453 | 45.09 | 0 | 98453 | 4 | 2.03
-- t32 | other | 74281 | 34.02 | 0 | 74281 | 3.23 | 1.84
-- a32 | branch | 17607 | 8.06 | 4828 | 0 | 4 | 1.86
-- t32 | branch | 14198 | 6.5 | 2962 | 0 | 2 | 1.81
-- a32 | return | 4785 | 2.19 | 0 | 0 | 4 | 2.84
-- a32 | indirect_call | 4445 | 2.04 | 0 | 0 | 4 | 2.8
-- t32 | return | 1514 | 0.69 | 0 | 0 | 2.01 | 2.93
-- t32 | call | 970 | 0.44 | 0 | 0 | 4 | 1.62
-- …
