// Package parquetfile writes batches as Parquet files, and reads those files
// back (Apache Parquet format 2.12; names in parentheses are its documents).
//
// Pages are built here, straight from the columns of a batch. Parquet-go's own
// writers take every value through a struct of 24 bytes and hash the strings of
// enums: 4.5 M rows/s of `instructions` where this package reaches several
// times that. From parquet-go are the metadata, Thrift, and the delta encoding.
//
// The bytes of a file depend only on the rows and on where batches end: one batch
// is one page of every column.
//
// Files are read with parquet-go: speed does not matter there. It trusts the
// lengths in a file, so a damaged file could make it fill the memory. Therefore
// this package first checks that a file has only what it writes itself.
//
// Its API is not stable (docs/guide/library.md).
package parquetfile
