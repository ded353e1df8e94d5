// Package generate writes captures whose truth is known: the snapshot directory a
// user would have, and beside it the dataset a right decoder makes of it.
//
// A [Recipe] says what is wanted, a [Workload] is the program that is executed,
// and a [Capture] is several cores that execute one, with what traces them. What
// executes and traces is in the packages beside this one: see bench/README.md.
//
// Its API is not stable (docs/guide/library.md).
package generate
