// Package pipeline turns a capture into a dataset. [Export] is all of it:
//
//	stream ──split──► units ──decode──► results ──stitch──► runs and rows ──rows──► row-group jobs ──encode──► files
//
// What ran is counted on the way, from runs: jobs of package tally go to the same
// workers as row groups, and their rows come when a source ends.
//
// Units are decoded, and row groups encoded, in parallel; split, stitch, rows and
// the writing of files are sequential. Units and row groups depend only on the
// data, so every file is the same for any number of workers.
//
// The files are written by schema/dataset, which also reads them back.
package pipeline
