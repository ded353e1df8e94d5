-- One row per build: how far what all its datasets and sources say together can be trusted.
-- build VARCHAR: The build, in builds.
-- datasets BIGINT: How many datasets there are of it.
-- bytes BIGINT: Bytes of all sources, those without a decoder too. Unit: bytes.
-- decoded_pct DOUBLE: Percentage of them in packets that were understood; NULL without bytes.
-- bytes_lost BIGINT: Bytes not understood. Unit: bytes.
-- bytes_unplaced BIGINT: Of the decoded: bytes of instructions that have no row. Unit: bytes.
-- gaps BIGINT: Restarts of trace, as in summary; NULL if events were not exported.
-- instructions BIGINT: Instructions in all.
-- unknown_pct DOUBLE: Percentage of them of which the trace does not say whether they passed their condition; NULL without instructions.
-- outside_executions BIGINT: Executions of addresses that are no instruction of the program; NULL without a program file.
-- image_match DOUBLE: Least image_match of a source, from 0 to 1; NULL without a program file.
-- agreement DOUBLE: Least agreement of a source, from 0 to 1; NULL without checks.
-- program_agrees BOOLEAN: False if it is for any source.
-- trust VARCHAR: All that in words. It begins with Nothing decoded, or Wrong program (names and percentages mean nothing), where that is so; the verdict on a dataset is in its manifest.
WITH t AS (
  SELECT build, count(DISTINCT dataset) AS datasets, sum(bytes)::BIGINT AS bytes, sum(bytes_lost)::BIGINT AS bytes_lost,
         sum(bytes_unplaced)::BIGINT AS bytes_unplaced, sum(gaps)::BIGINT AS gaps, sum(instructions)::BIGINT AS instructions,
         sum(unknown)::BIGINT AS unknown,
         sum(outside_executions)::BIGINT AS outside_executions, min(image_match) AS image_match, min(agreement) AS agreement,
         bool_and(program_agrees) AS program_agrees
  FROM trust GROUP BY build),
v AS (
  SELECT *, pct(bytes - bytes_lost, bytes) AS decoded_pct,
         CASE WHEN NOT program_agrees THEN 'Wrong program: ' WHEN instructions = 0 THEN 'Nothing decoded: ' ELSE '' END AS verdict
  FROM t)
SELECT build, datasets, bytes, decoded_pct, bytes_lost, bytes_unplaced, gaps, instructions, pct(unknown, instructions) AS unknown_pct,
       outside_executions, image_match, agreement, program_agrees,
       concat(verdict, 'decoded ', decoded_pct, ' %, bytes lost ', bytes_lost, ', unplaced ', bytes_unplaced, ', gaps ', coalesce(gaps::VARCHAR, '?'),
              ', executed outside code ', coalesce(outside_executions::VARCHAR, '?'), ', unknown ', coalesce(pct(unknown, instructions)::VARCHAR, '?'),
              ' %, image match ', coalesce(round(image_match, 4)::VARCHAR, '?')) AS trust
FROM v;
