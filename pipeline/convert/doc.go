// Package convert writes what package report answers in the formats of other programs:
// tracefiles of lcov, Cobertura's XML, and lists of addresses for disassemblers; folded stacks
// for flame graphs, profiles of pprof and callgrind, and sample profiles for compilers; pictures
// in order of time for speedscope and Perfetto.
//
// Most of these formats cannot say how far their figures can be trusted: whoever writes a
// file says so beside it.
//
// Its API is promised (docs/guide/library.md).
package convert
