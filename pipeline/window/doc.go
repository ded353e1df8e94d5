// Package window finds the segments that a window of a capture has, and where decoding
// begins for them: the table `segments` of an earlier dataset is the index.
//
// Its API is not stable (docs/guide/library.md).
package window
