// Package archive is the container in which a capture is kept for years
// (docs/format.md): the capture, packed in frames that are read each by itself, the
// images it was decoded with by their SHA-256, and the dataset of the small tables.
//
//	run.tla/
//	  archive.json          version, tool, options, the files of the capture
//	  manifest-sha256.txt   of every other file, as sha256sum -c reads it
//	  capture/              .ini files as they are, trace data as NAME.zst
//	  images/               program memory, each named by its SHA-256, as SHA256.zst
//	  dataset/              a dataset of the small tables
//
// [Create] writes one, [Open] opens one, and [Check] checks one. An [Archive] is
// what the package capture opens in place of files: see [capture.Stored].
//
// Its API is not stable (docs/guide/library.md).
package archive
