-- Which branches were decided one way only, the most executed first?
SELECT hex8(address) AS address, name, file || ':' || line AS location, taken + not_taken AS executions, verdict, hex8(target) AS target
FROM coverage_branches b WHERE verdict IN ('always_taken', 'never_taken') ORDER BY executions DESC, b.address;
