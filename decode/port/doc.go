// Package port is the trace port of ETMv1 and ETMv2 (docs/etmv2.md §1 to §3): samples
// of its pins, how captures hold them, the registers that configure it, and the rules
// for bytes on its pins that both protocols share.
//
// A capture in any [Layout] becomes a stream of records of [SampleBytes], one for
// each sample: the decoders know no other. All cells of a layout are alike (grid.go): a
// cell is a number (cell.go) with the bits of one to three samples (slot.go), or else
// the record of a sample file (etms.go) or of a dump (dump.go). layout.go and stream.go
// read captures, writer.go writes them.
//
// config.go and bind.go read the registers, options.go has the settings beside them.
// pins.go reads the bytes that come out of the FIFO in samples, data.go has the packets
// of data that both protocols send alike.
//
// Its API is not stable (docs/guide/library.md).
package port
