// Package convert writes what package report answers in the formats of other programs:
// tracefiles of lcov, Cobertura's XML, and lists of addresses for disassemblers.
//
// None of these formats can say how far its figures can be trusted: whoever writes a
// file says so beside it.
package convert
