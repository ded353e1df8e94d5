-- What kinds of instructions ran?
SELECT isa, kind, instructions, instructions_pct, failed, untold, round(bytes_each, 2) AS bytes_each, round(cycles_each, 2) AS cycles_each
FROM instruction_mix ORDER BY build, instructions DESC, isa, kind;
