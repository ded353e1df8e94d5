// Package schema is the public format: tables, columns, enums, the types of
// their rows, and the names of everything in a dataset. It knows no decoder and
// writes no file; parquetfile and arrowfile do that.
//
// Decoders report instructions not as rows but as [Run]s over [Block]s. The
// writers expand runs into the columns of `instructions`, or write them unchanged
// into `blocks`.
//
// Its API is promised (docs/guide/library.md).
package schema

//go:generate go run ./internal/columns columns_gen.go
//go:generate go run ./internal/tablesmd ../docs/tables.md
//go:generate go run ./internal/viewsjson ../python/tracelake/views.json
