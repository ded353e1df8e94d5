-- Views of a tracelake dataset, for DuckDB.
--
--   duckdb -init run1/views.sql       or, in DuckDB:  .read run1/views.sql
--
-- The script looks for its dataset in the working directory, in folders up to
-- three levels below it, in the two directories above it and in their folders. For
-- a dataset elsewhere, or for several at once, name the directories first:
--   SET VARIABLE tracelake_dirs = ['/data/a', '/data/b'];
--   .read /data/a/views.sql
-- The column dataset of each view has the name of the dataset's directory.

SET VARIABLE tracelake_id = 'b9caa942679595c282d2d6edba975ddacff3c5e1930999f235076ef7afcc5974';
-- with tracelake_dirs, the scripts of those datasets: nothing is searched for
SET VARIABLE tracelake_scripts = coalesce([rtrim(d, '/') || '/views.sql' FOR d IN getvariable('tracelake_dirs')],
  (SELECT list(replace(file, '\', '/')) FROM glob(['views.sql', '*/views.sql', '*/*/views.sql', '*/*/*/views.sql', '../views.sql', '../*/views.sql', '../../views.sql', '../../*/views.sql'])));
SET VARIABLE tracelake_scripts = CASE WHEN getvariable('tracelake_scripts') IS NOT NULL THEN getvariable('tracelake_scripts')
  ELSE error('tracelake: no dataset is near the working directory. Name it, then read this script again: SET VARIABLE tracelake_dirs = [''path/of/the/dataset'']') END;
SET VARIABLE tracelake_found = (SELECT [coalesce(nullif(rtrim(regexp_replace(replace(filename, '\', '/'), 'views[.]sql$', ''), '/'), ''), '.')]
  FROM read_text(getvariable('tracelake_scripts')) WHERE contains(content, getvariable('tracelake_id'))
  ORDER BY len(string_split(filename, '/')) + len(string_split(filename, '..')), filename LIMIT 1);
SET VARIABLE tracelake_found = CASE WHEN coalesce(getvariable('tracelake_dirs'), getvariable('tracelake_found')) IS NOT NULL THEN getvariable('tracelake_found')
  ELSE error('tracelake: the dataset of this script is not near the working directory. Name it, then read this script again: SET VARIABLE tracelake_dirs = [''path/of/the/dataset'']') END;

-- a as eight hexadecimal digits; for the outermost SELECT: to group by it is slow
CREATE OR REPLACE MACRO hex8(a) AS printf('0x%08x', a);
-- the datasets to read
CREATE OR REPLACE MACRO tracelake_datasets() AS
  [rtrim(d, '/') FOR d IN coalesce(getvariable('tracelake_dirs'), getvariable('tracelake_found'), ['.'])];
-- the paths of files of that name in all datasets
CREATE OR REPLACE MACRO tracelake_files(f) AS [d || '/' || f FOR d IN tracelake_datasets()];
-- whether the last parts of their paths differ
CREATE OR REPLACE MACRO tracelake_names_differ() AS
  len(list_distinct([parse_filename(d) FOR d IN tracelake_datasets()])) = len(tracelake_datasets());
-- the label of the dataset that a file is from
CREATE OR REPLACE MACRO dataset_of(f) AS
  CASE WHEN tracelake_names_differ() THEN coalesce(nullif(nullif(regexp_extract(f, '([^/\\]*)[/\\][^/\\]+[/\\][^/\\]+$', 1), '.'), ''), 'here')
       ELSE regexp_extract(f, '^(.*)[/\\][^/\\]+[/\\][^/\\]+$', 1) END;

CREATE OR REPLACE VIEW instructions AS
SELECT * EXCLUDE (filename), dataset_of(filename) AS dataset
FROM read_parquet(tracelake_files('instructions/*.parquet'), filename = true, union_by_name = true);
COMMENT ON VIEW instructions IS 'One row per instruction, whether it passed its condition or not.';
COMMENT ON COLUMN instructions."source" IS 'CoreSight trace ID; 0 for a raw dump.';
COMMENT ON COLUMN instructions."seq" IS 'Ordinal in its source, from 0, without holes.';
COMMENT ON COLUMN instructions."segment" IS 'Ordinal of the segment in its source, from 0; NULL before the first cut.';
COMMENT ON COLUMN instructions."byte_offset" IS 'Position, in the capture, of the first byte of the packet that reports the row; (seq, byte_offset) orders rows across tables. Unit: bytes.';
COMMENT ON COLUMN instructions."address" IS 'Address of the instruction.';
COMMENT ON COLUMN instructions."size" IS 'Length of the instruction: 2 or 4. Unit: bytes.';
COMMENT ON COLUMN instructions."isa" IS 'Instruction set.';
COMMENT ON COLUMN instructions."opcode" IS 'The instruction as fetched; a 32-bit T32 one has its first halfword in the high half.';
COMMENT ON COLUMN instructions."kind" IS 'Class of the instruction, by its opcode alone.';
COMMENT ON COLUMN instructions."executed" IS 'True: it passed its condition, which for a branch means that it was taken; false: it failed; NULL: the trace does not say (PFT: between waypoints).';
COMMENT ON COLUMN instructions."cycles" IS 'Cycles spent up to this instruction since the previous count; NULL, never 0, where the trace gives no count (PFT counts waypoints only). Unit: cycles.';
COMMENT ON COLUMN instructions."epoch" IS 'Cycle epoch, from 0: within one, the distance between any two cycles is known; a new one starts where it is lost.';
COMMENT ON COLUMN instructions."cycle" IS 'Cycles from the start of the epoch up to and including this instruction; NULL where cycles is. Unit: cycles.';
COMMENT ON COLUMN instructions."timestamp" IS 'Last timestamp traced before it, as a count (its frequency is sources.timestamp_hz); NULL if there was none, if not all of its bits are known, or if it is 2⁶³ or more (event timestamp_out_of_range). Unit: ticks.';
COMMENT ON COLUMN instructions."context_id" IS 'Context ID; NULL until it is known.';
COMMENT ON COLUMN instructions."vmid" IS 'Virtual machine ID; NULL until it is known.';
COMMENT ON COLUMN instructions."security" IS 'Security state and mode; NULL if the trace does not say.';
COMMENT ON COLUMN instructions.dataset IS 'Name of the directory of the dataset, its whole path where names are alike.';

CREATE OR REPLACE VIEW exceptions AS
SELECT * EXCLUDE (filename), dataset_of(filename) AS dataset
FROM read_parquet(tracelake_files('exceptions/*.parquet'), filename = true, union_by_name = true);
COMMENT ON VIEW exceptions IS 'One row per exception entry or explicit return.';
COMMENT ON COLUMN exceptions."source" IS 'CoreSight trace ID; 0 for a raw dump.';
COMMENT ON COLUMN exceptions."seq" IS 'Ordinal, in its source, of the first instruction after it: the one with this seq comes next, the one with seq - 1 came before.';
COMMENT ON COLUMN exceptions."segment" IS 'Ordinal of the segment in its source, from 0; NULL before the first cut.';
COMMENT ON COLUMN exceptions."byte_offset" IS 'Position, in the capture, of the first byte of the packet that reports the row; (seq, byte_offset) orders rows across tables. Unit: bytes.';
COMMENT ON COLUMN exceptions."ordinal" IS 'Order in its source, from 0: a return and a tail-chained entry can share seq and byte_offset.';
COMMENT ON COLUMN exceptions."event" IS 'Entry, or a return that the trace reports.';
COMMENT ON COLUMN exceptions."number" IS 'Exception number as traced; NULL for a return.';
COMMENT ON COLUMN exceptions."type" IS 'Canonical type, the same for all protocols; v7-M external interrupts are irq with their number; NULL for a return.';
COMMENT ON COLUMN exceptions."return_address" IS 'Preferred return address; NULL if it is not known.';
COMMENT ON COLUMN exceptions."target" IS 'Address the exception was taken to; NULL if it is not known, and for a return.';
COMMENT ON COLUMN exceptions."resume" IS 'Resume field of v7-M: how far an interrupted load or store multiple got; NULL if not traced.';
COMMENT ON COLUMN exceptions."epoch" IS 'Cycle epoch, from 0: within one, the distance between any two cycles is known; a new one starts where it is lost.';
COMMENT ON COLUMN exceptions."cycle" IS 'Cycles from the start of the epoch to this point; NULL without cycle accuracy. Unit: cycles.';
COMMENT ON COLUMN exceptions."timestamp" IS 'Last timestamp traced before it, as a count (its frequency is sources.timestamp_hz); NULL if there was none, if not all of its bits are known, or if it is 2⁶³ or more (event timestamp_out_of_range). Unit: ticks.';
COMMENT ON COLUMN exceptions."context_id" IS 'Context ID; NULL until it is known.';
COMMENT ON COLUMN exceptions."vmid" IS 'Virtual machine ID; NULL until it is known.';
COMMENT ON COLUMN exceptions."security" IS 'Security state and mode; NULL if the trace does not say.';
COMMENT ON COLUMN exceptions.dataset IS 'Name of the directory of the dataset, its whole path where names are alike.';

CREATE OR REPLACE VIEW events AS
SELECT * EXCLUDE (filename), dataset_of(filename) AS dataset
FROM read_parquet(tracelake_files('events/*.parquet'), filename = true, union_by_name = true);
COMMENT ON VIEW events IS 'One row per anything else that happened at a point.';
COMMENT ON COLUMN events."source" IS 'CoreSight trace ID; 0 for a raw dump.';
COMMENT ON COLUMN events."seq" IS 'Ordinal, in its source, of the first instruction after it: the one with this seq comes next, the one with seq - 1 came before.';
COMMENT ON COLUMN events."segment" IS 'Ordinal of the segment in its source, from 0; NULL before the first cut.';
COMMENT ON COLUMN events."byte_offset" IS 'Position, in the capture, of the first byte of the packet that reports the row; (seq, byte_offset) orders rows across tables. Unit: bytes.';
COMMENT ON COLUMN events."event" IS 'What happened.';
COMMENT ON COLUMN events."address" IS 'Address it is about; NULL if there is none.';
COMMENT ON COLUMN events."detail" IS 'More in words; NULL if there is no more.';
COMMENT ON COLUMN events.dataset IS 'Name of the directory of the dataset, its whole path where names are alike.';

CREATE OR REPLACE VIEW losses AS
SELECT * EXCLUDE (filename), dataset_of(filename) AS dataset
FROM read_parquet(tracelake_files('losses/*.parquet'), filename = true, union_by_name = true);
COMMENT ON VIEW losses IS 'One row per stretch of bytes not understood.';
COMMENT ON COLUMN losses."source" IS 'CoreSight trace ID; 0 for a raw dump.';
COMMENT ON COLUMN losses."seq" IS 'Ordinal, in its source, of the first instruction after it: the one with this seq comes next, the one with seq - 1 came before.';
COMMENT ON COLUMN losses."segment" IS 'Ordinal of the segment in its source, from 0; NULL before the first cut.';
COMMENT ON COLUMN losses."byte_offset" IS 'Position, in the capture, of the first byte of the packet that reports the row; (seq, byte_offset) orders rows across tables. Unit: bytes.';
COMMENT ON COLUMN losses."bytes" IS 'Bytes of the stream that were lost (samples where sources.unit says so). Unit: bytes.';
COMMENT ON COLUMN losses."reason" IS 'Why.';
COMMENT ON COLUMN losses."detail" IS 'The header, or the rule that was broken; NULL if the reason says all.';
COMMENT ON COLUMN losses.dataset IS 'Name of the directory of the dataset, its whole path where names are alike.';

CREATE OR REPLACE VIEW segments AS
SELECT * EXCLUDE (filename), dataset_of(filename) AS dataset
FROM read_parquet(tracelake_files('segments/*.parquet'), filename = true, union_by_name = true);
COMMENT ON VIEW segments IS 'One row per segment: the stream from one cut to the next.';
COMMENT ON COLUMN segments."source" IS 'CoreSight trace ID; 0 for a raw dump.';
COMMENT ON COLUMN segments."seq" IS 'Ordinal, in its source, of its first instruction.';
COMMENT ON COLUMN segments."segment" IS 'Ordinal of the segment in its source, from 0; NULL before the first cut.';
COMMENT ON COLUMN segments."byte_offset" IS 'Position, in the capture, of the first byte of the packet that reports the row; (seq, byte_offset) orders rows across tables. Unit: bytes.';
COMMENT ON COLUMN segments."bytes" IS 'Bytes of the stream (samples where sources.unit says so). Unit: bytes.';
COMMENT ON COLUMN segments."bytes_decoded" IS 'Bytes in packets that were understood. Unit: bytes.';
COMMENT ON COLUMN segments."bytes_lost" IS 'Bytes not understood: bytes less bytes_decoded. Unit: bytes.';
COMMENT ON COLUMN segments."bytes_unplaced" IS 'Of the decoded: bytes of instructions that have no row, as their address or the memory there is not known. Unit: bytes.';
COMMENT ON COLUMN segments."instructions" IS 'Instructions in it.';
COMMENT ON COLUMN segments."exceptions" IS 'Exception entries in it.';
COMMENT ON COLUMN segments."address" IS 'Address in the I-sync it begins with; NULL if only data is traced.';
COMMENT ON COLUMN segments."reason" IS 'Reason of that I-sync.';
COMMENT ON COLUMN segments.dataset IS 'Name of the directory of the dataset, its whole path where names are alike.';

CREATE OR REPLACE VIEW sources AS
SELECT * EXCLUDE (filename), dataset_of(filename) AS dataset
FROM read_parquet(tracelake_files('sources/*.parquet'), filename = true, union_by_name = true);
COMMENT ON VIEW sources IS 'One row per source that was configured or seen.';
COMMENT ON COLUMN sources."source" IS 'CoreSight trace ID; 0 for a raw dump.';
COMMENT ON COLUMN sources."name" IS 'Name in the snapshot; NULL if it has none.';
COMMENT ON COLUMN sources."protocol" IS 'Trace protocol: pft, etmv3 …; NULL if it is not known.';
COMMENT ON COLUMN sources."version" IS 'Version of the protocol, as 1.1; NULL if it is not known.';
COMMENT ON COLUMN sources."core" IS 'Core that is traced; NULL if it is not known.';
COMMENT ON COLUMN sources."buffer" IS 'Trace buffer the stream is in; NULL if it has no name.';
COMMENT ON COLUMN sources."status" IS 'What became of it; decoded: its decoder ran, even if it decoded nothing.';
COMMENT ON COLUMN sources."unit" IS 'What bytes count, here and in segments and losses.';
COMMENT ON COLUMN sources."bytes" IS 'Length of the stream: bytes_decoded and bytes_lost together. Unit: bytes.';
COMMENT ON COLUMN sources."bytes_decoded" IS 'Bytes in packets that were understood. Unit: bytes.';
COMMENT ON COLUMN sources."bytes_lost" IS 'Bytes not understood: the sum of its losses. Unit: bytes.';
COMMENT ON COLUMN sources."bytes_unplaced" IS 'Of the decoded: bytes of instructions that have no row, as their address or the memory there is not known. Unit: bytes.';
COMMENT ON COLUMN sources."segments" IS 'Rows in segments.';
COMMENT ON COLUMN sources."instructions" IS 'Instructions in all.';
COMMENT ON COLUMN sources."exceptions" IS 'Exception entries in all.';
COMMENT ON COLUMN sources."losses" IS 'Rows in losses.';
COMMENT ON COLUMN sources."timestamp_hz" IS 'Frequency of the timestamps, as given at export, else as the snapshot says; NULL if neither does. Unit: Hz.';
COMMENT ON COLUMN sources."cycle_hz" IS 'Frequency of the core clock, as given at export; NULL if it was not. Unit: Hz.';
COMMENT ON COLUMN sources."registers" IS 'Trace registers used, as a JSON object of name and value.';
COMMENT ON COLUMN sources.dataset IS 'Name of the directory of the dataset, its whole path where names are alike.';

CREATE OR REPLACE VIEW images AS
SELECT * EXCLUDE (filename), dataset_of(filename) AS dataset
FROM read_parquet(tracelake_files('images/*.parquet'), filename = true, union_by_name = true);
COMMENT ON VIEW images IS 'One row per region of program memory.';
COMMENT ON COLUMN images."file" IS 'Name of the file it is from, without its folder.';
COMMENT ON COLUMN images."sha256" IS 'SHA-256 of that file, in hex.';
COMMENT ON COLUMN images."build_id" IS 'Build ID in the ELF file, in hex; NULL if it has none.';
COMMENT ON COLUMN images."address" IS 'Address of its first byte.';
COMMENT ON COLUMN images."bytes" IS 'Length. Unit: bytes.';
COMMENT ON COLUMN images."space" IS 'Memory space, as S, N, H; NULL: any.';
COMMENT ON COLUMN images."core" IS 'Core it belongs to; NULL: every core.';
COMMENT ON COLUMN images.dataset IS 'Name of the directory of the dataset, its whole path where names are alike.';

-- instructions a to z (seq), of every source
CREATE OR REPLACE MACRO instructions_window(a, z) AS TABLE
SELECT * FROM instructions WHERE seq BETWEEN a AND z;

-- the last n instructions of each source that packets before byte x of the capture report
CREATE OR REPLACE MACRO before_offset(x, n) AS TABLE
SELECT * FROM (
SELECT * FROM instructions WHERE true
  AND byte_offset < x
  AND seq >= (SELECT min(bound) FROM (SELECT max(seq) - n - 0 AS bound FROM segments WHERE byte_offset < x GROUP BY dataset, source)))
QUALIFY row_number() OVER (PARTITION BY dataset, source ORDER BY seq DESC) <= n;

CREATE OR REPLACE VIEW summary AS
SELECT (s.source)::INTEGER AS source,
       (s.name)::VARCHAR AS name,
       (s.protocol)::VARCHAR AS protocol,
       (s.core)::VARCHAR AS core,
       (s.status)::VARCHAR AS status,
       (s.bytes)::BIGINT AS bytes,
       (s.bytes_decoded)::BIGINT AS bytes_decoded,
       (s.bytes_lost)::BIGINT AS bytes_lost,
       (s.bytes_unplaced)::BIGINT AS bytes_unplaced,
       (s.segments)::BIGINT AS segments,
       (s.instructions)::BIGINT AS instructions,
       (s.exceptions)::BIGINT AS exceptions,
       (s.losses)::BIGINT AS losses,
       ((SELECT count(*) FROM events e JOIN segments g USING (dataset, source)
         WHERE e.dataset = s.dataset AND e.source = s.source AND e.event IN ('trace_on', 'overflow', 'debug_exit')
           AND g.segment = 0 AND e.byte_offset > g.byte_offset))::BIGINT AS gaps,
       (NULL)::BIGINT AS cycles,
       (NULL)::BIGINT AS first_timestamp,
       (NULL)::BIGINT AS last_timestamp,
       (NULL)::DOUBLE AS seconds,
       s.dataset
FROM sources s;
COMMENT ON VIEW summary IS 'One row per source. A gap is a restart of trace (event trace_on, overflow or debug_exit) other than the one that the first segment of its source begins with: how much was executed just before it is not known.';
COMMENT ON COLUMN summary.source IS 'CoreSight trace ID; 0 for a raw dump.';
COMMENT ON COLUMN summary.name IS 'Name in the snapshot; NULL if it has none.';
COMMENT ON COLUMN summary.protocol IS 'Trace protocol: pft, etmv3 …; NULL if it is not known.';
COMMENT ON COLUMN summary.core IS 'Core that is traced; NULL if it is not known.';
COMMENT ON COLUMN summary.status IS 'What became of it; decoded: its decoder ran, even if it decoded nothing.';
COMMENT ON COLUMN summary.bytes IS 'Length of the stream: bytes_decoded and bytes_lost together.';
COMMENT ON COLUMN summary.bytes_decoded IS 'Bytes in packets that were understood.';
COMMENT ON COLUMN summary.bytes_lost IS 'Bytes not understood: the sum of its losses.';
COMMENT ON COLUMN summary.bytes_unplaced IS 'Of the decoded: bytes of instructions that have no row, as their address or the memory there is not known.';
COMMENT ON COLUMN summary.segments IS 'Rows in segments.';
COMMENT ON COLUMN summary.instructions IS 'Instructions in all.';
COMMENT ON COLUMN summary.exceptions IS 'Exception entries in all.';
COMMENT ON COLUMN summary.losses IS 'Rows in losses.';
COMMENT ON COLUMN summary.gaps IS 'A gap is a restart of trace (event trace_on, overflow or debug_exit) other than the one that the first segment of its source begins with: how much was executed just before it is not known.';
COMMENT ON COLUMN summary.cycles IS 'Sum of cycle_counts.cycles; NULL if there is none.';
COMMENT ON COLUMN summary.first_timestamp IS 'Lowest value in timestamps; NULL if there is none.';
COMMENT ON COLUMN summary.last_timestamp IS 'Highest value in timestamps; NULL if there is none.';
COMMENT ON COLUMN summary.seconds IS 'Time from first_timestamp to last_timestamp; NULL if timestamp_hz of the source is.';
COMMENT ON COLUMN summary.dataset IS 'Name of the directory of the dataset, its whole path where names are alike.';
