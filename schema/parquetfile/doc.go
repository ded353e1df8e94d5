// Package parquetfile writes batches as Parquet files, and reads those files
// back (Apache Parquet format 2.12; names in parentheses are its documents).
//
// Pages are built here, straight from the columns of a batch. Parquet-go's own
// writers take every value through a struct of 24 bytes and hash the strings of
// enums: 4.5 M rows/s of `instructions` where this package reaches several
// times that. From parquet-go are the metadata, Thrift, and the delta encoding.
//
// What is written depends on the rows and on where batches end, on nothing
// else: one batch is one page of every column.
//
// Reading is parquet-go's, and is no matter of speed. It trusts the lengths in a
// file, and would fill the memory on the word of a damaged one; so every file is
// checked for what this package writes before it is handed on.
package parquetfile
