// Package perfdata reads perf.data, the file in which Linux's perf and Android's simpleperf
// record CoreSight trace: which CPUs were traced and with which registers, where the trace is
// in the file, and which processes ran and what they mapped. It decodes no trace, and opens no
// program file. Section numbers (§) are those of docs/perfdata.md.
//
// Its API is not stable (docs/guide/library.md).
package perfdata
