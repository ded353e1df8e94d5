-- Who calls whom, and how often?
-- A jump to another function (a tail call) is a branch, and not among these; nor is a call that a gap or a loss follows.
SELECT caller_name, callee_name, kind, sum(calls)::BIGINT AS calls
FROM call_edges GROUP BY build, core, caller, callee, caller_name, callee_name, kind ORDER BY calls DESC, caller_name, callee_name, kind;
