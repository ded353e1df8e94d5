// Package dataset reads and writes datasets: directories of tables in Parquet or
// Arrow files, with a manifest. [schema] says what is in them.
//
// [Open] reads one: [Dataset.Open] the rows of a table, [Dataset.Expand] those of
// `blocks` as instructions. [Create] writes one: [Writer.Table] takes rows one by
// one, [Writer.Series] row groups that were encoded elsewhere, so that many can
// be encoded at the same time. Until [Writer.Close] returns, there is no dataset.
package dataset
