-- Which code did not run: whole functions first, then stretches within functions?
-- Not seen is not dead: it means so only if all was decoded, without gaps. reached_only are instructions that always failed their condition.
SELECT name, hex8(address) AS first, hex8(address + bytes) AS past_end, instructions, bytes, reached_only, whole_function, file || ':' || line AS location, trust
FROM uncovered u JOIN (SELECT build, trust FROM trust_all) t USING (build) ORDER BY whole_function DESC, u.bytes DESC, u.address;
