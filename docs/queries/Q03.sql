-- How much of each function is covered, the least first?
-- Functions are told apart by address: several may have one name. Padding between them is not counted.
SELECT name, hex8(address) AS address, instructions, covered, reached_only, untold_only, covered_pct, entries, trust
FROM coverage_functions f JOIN (SELECT build, trust FROM trust_all) t USING (build)
ORDER BY f.covered_pct, f.name, f.address;
