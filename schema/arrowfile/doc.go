// Package arrowfile writes batches as Arrow IPC files, and reads those files
// back (Arrow columnar format 1.4). A batch is a record batch; an enum is a
// dictionary of all of its values, the same in every file.
//
// Its API is not stable (docs/guide/library.md).
package arrowfile
