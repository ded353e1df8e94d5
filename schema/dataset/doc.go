// Package dataset reads and writes datasets: directories of tables in Parquet or
// Arrow files, with a manifest. [schema] says what is in them.
//
// [Open] reads one: [Dataset.Records] the rows of a table as record batches of
// Arrow, [Dataset.Open] those of a source, [Dataset.Expand] those of `blocks` as
// instructions. [Create] writes one: [Writer.Table] takes rows one by one,
// [Writer.Series] row groups that were encoded elsewhere, so that many can be
// encoded at the same time. Until [Writer.Close] returns, there is no dataset.
//
// What is exported here, and what the constants and tables of [schema] mean, stays as it is:
// tables and columns are added, and none is taken away or used for anything else, within a schema
// version; [Open] reads those before.
//
// Its API is promised (docs/guide/library.md).
package dataset
