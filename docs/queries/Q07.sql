-- Which branches were decided one way only, the most executed first?
SELECT hex8(address) AS address, name, file || ':' || line AS location, taken + not_taken AS executions, verdict, hex8(target) AS target
FROM coverage_branches b WHERE verdict IN ('always_taken', 'never_taken') ORDER BY executions DESC, b.address;

-- Answer of sample, 4 rows:
-- address | name | location | executions | verdict | target
-- 0x40008a34 | popcount | script.c:12 | 60 | never_taken | 0x40008a50
-- 0x40008a64 | collatz | script.c:20 | 60 | never_taken | 0x40008a88
-- 0x40008404 | kernel_irq | kernel.c:114 | 52 | never_taken | 0x40008420
-- 0x4000810c | call_print | kernel.c:57 | 5 | never_taken | 0x40008124
