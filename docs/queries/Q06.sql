-- Which way did each conditional branch go?
-- Object branch coverage: both outcomes of the machine branch. It is not decision coverage, and not MC/DC.
SELECT hex8(address) AS address, name, file || ':' || line AS location, taken, not_taken, untold, verdict
FROM coverage_branches b ORDER BY build, b.address;
