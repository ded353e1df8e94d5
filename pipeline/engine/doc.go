// Package engine decodes the streams of a capture with several workers, and keeps their
// order: [Split] cuts a stream into units, workers decode them, and [Ordered] hands the
// results on as they come in the stream. All goroutines of a decode start here. It knows no
// file that is written.
//
// Its API is not stable (docs/guide/library.md).
package engine
