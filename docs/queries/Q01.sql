-- How much of each source was decoded, what is missing, and is the program the one that ran?
-- decoded_pct and agreement should be near 100 and 1; below an agreement of 0.9, or an image_match of 0.99, another program ran.
SELECT t.dataset, t.source, t.protocol, t.status, t.bytes, t.decoded_pct, t.bytes_lost, coalesce(l.bytes, 0) = t.bytes_lost AS losses_add_up,
       t.losses, t.bytes_unplaced, coalesce(u.stops, 0) AS unmapped, t.gaps, t.instructions, t.unknown_pct, t.timed_pct,
       t.outside_code, round(t.image_match, 4) AS image_match, round(t.agreement, 4) AS agreement
FROM trust t
LEFT JOIN (SELECT dataset, source, sum(bytes)::BIGINT AS bytes FROM losses GROUP BY ALL) l USING (dataset, source)
LEFT JOIN (SELECT dataset, source, count(*) AS stops FROM events WHERE event = 'unmapped' GROUP BY ALL) u USING (dataset, source)
ORDER BY t.dataset, t.source;

-- Answer of sample, 1 row:
-- dataset | source | protocol | status | bytes | decoded_pct | bytes_lost | losses_add_up | losses | bytes_unplaced | unmapped | gaps | instructions | unknown_pct | timed_pct | outside_code | image_match | agreement
-- sample | 16 | pft | decoded | 58693 | 99.99 | 6 | true | 1 | 0 | 0 | 0 | 218349 | 79.12 | 100 | 0 | 1 | 1
