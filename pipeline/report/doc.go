// Package report answers questions about what ran: how much of the program was
// covered, which way its branches went, where the time is spent, how long calls and
// exceptions took, what ran just before a point, and how far all that can be trusted.
//
// [Read] reads datasets of one program and adds them up. It reads only tables whose
// size depends on the program, never the instructions or blocks: an answer takes as
// long for an hour of trace as for a second. Package calls reads a row for each call,
// and package last of the instructions those around a point. The answers are values;
// words and formats are the caller's.
//
// Packages clock, durations, exceptions, growth, lost, stacks and trust, which are below
// this one, know no program. Packages calls and last are above it, as are profile and
// timeline, which answer what other programs show: from call trees, frames and code.
package report
