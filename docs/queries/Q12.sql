-- Who calls whom, and how often?
-- A jump to another function (a tail call) is a branch, and not among these; nor is a call that a gap or a loss follows.
SELECT caller_name, callee_name, kind, sum(calls)::BIGINT AS calls
FROM call_edges GROUP BY build, core, caller, callee, caller_name, callee_name, kind ORDER BY calls DESC, caller_name, callee_name, kind;

-- Answer of sample, 27 rows:
-- caller_name | callee_name | kind | calls
-- quicksort | by_digits | indirect_call | 1350
-- quicksort | descending | indirect_call | 1337
-- quicksort | ascending | indirect_call | 1281
-- fibonacci | fibonacci | call | 893
-- sort_task | random_next | call | 480
-- sort_task | ascending | indirect_call | 159
-- sort_task | by_digits | indirect_call | 159
-- sort_task | descending | indirect_call | 159
-- …
