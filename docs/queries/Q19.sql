-- What ran just before an exception?
-- Parameters: dataset, by default the first; nth, which exception, counted from the last one, by default 3; n, how many instructions, by default 12.
SET VARIABLE q19_source = (SELECT min(source) FROM exceptions WHERE event = 'entry' AND dataset = coalesce(getvariable('dataset'), (SELECT min(dataset) FROM sources)));
SET VARIABLE q19_mark = (
  SELECT seq FROM exceptions
  WHERE event = 'entry' AND source = getvariable('q19_source') AND dataset = coalesce(getvariable('dataset'), (SELECT min(dataset) FROM sources))
  QUALIFY row_number() OVER (ORDER BY seq DESC, ordinal DESC) = coalesce(getvariable('nth'), 3));
SELECT i.seq - getvariable('q19_mark') AS relative, hex8(i.address) AS address, p.name, p.file || ':' || p.line AS location, i.kind, i.executed, i.cycles
FROM instructions_window(getvariable('q19_mark') - coalesce(getvariable('n'), 12), getvariable('q19_mark') - 1) i
LEFT JOIN places p USING (dataset, source, address)
WHERE i.dataset = coalesce(getvariable('dataset'), (SELECT min(dataset) FROM sources)) AND i.source = getvariable('q19_source')
ORDER BY i.seq;

-- Answer of sample, 12 rows:
-- relative | address | name | location | kind | executed | cycles
-- -12 | 0x4000856c | by_digits | sort.c:13 | other | NULL | NULL
-- -11 | 0x40008570 | by_digits | sort.c:13 | other | NULL | NULL
-- -10 | 0x40008574 | by_digits | sort.c:13 | other | NULL | NULL
-- -9 | 0x40008578 | by_digits | sort.c:13 | other | NULL | NULL
-- -8 | 0x4000857c | by_digits | sort.c:13 | branch | false | 14
-- -7 | 0x40008580 | by_digits | sort.c:13 | other | NULL | NULL
-- -6 | 0x40008584 | by_digits | sort.c:13 | other | NULL | NULL
-- -5 | 0x40008588 | by_digits | sort.c:13 | return | true | 9
-- …
