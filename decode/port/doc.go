// Package port is the trace port of ETMv1 and ETMv2 (docs/etmv2.md §1 to §3): samples
// of its pins, how captures hold them, the registers that configure it, and the rules
// for bytes on its pins that both protocols share.
//
// A capture in any [Layout] becomes a stream of records of [SampleBytes], one for
// each sample: the decoders know no other.
package port
