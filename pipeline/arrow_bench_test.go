package pipeline

import (
	"bytes"
	"context"
	"io"
	"syscall"
	"testing"

	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/pipeline/rows"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/arrowfile"
	"github.com/tracelake/tracelake/schema/dataset"
)

// BenchmarkArrow decodes a capture of silicon, laid end to end, into record batches of
// `instructions`: in memory, where they are written to what only counts their bytes, and
// into the files of a dataset. It says what an instruction costs in CPU time, from
// reading the trace on.
func BenchmarkArrow(b *testing.B) {
	tr := openTrace(b, shared.File(b, "captures/opencsd-tc2-ptm-rstk-t32"), 0x02)
	tr = tr.with(bytes.Repeat(tr.data, 40))
	for _, to := range []struct {
		name string
		open func(b *testing.B) (write func(rows.Job) error, end func() error)
	}{{"memory", arrowInMemory}, {"files", arrowFiles}} {
		b.Run(to.name, func(b *testing.B) {
			instructions, before := int64(0), cpuTime(b)
			for b.Loop() {
				write, end := to.open(b)
				out := rows.Output{Series: seriesOf(func(t *schema.Table) bool { return t == &schema.Instructions }), Submit: write}
				instructions += decodeInto(b, tr.id, tr.protocol, tr.memory, tr.stream(wholePieces), 1, usualGrain, out).Totals.Instructions
				if err := end(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(cpuTime(b)-before)/float64(instructions), "cpu-ns/instruction")
		})
	}
}

// arrowInMemory returns what writes row groups to nowhere.
func arrowInMemory(b *testing.B) (write func(rows.Job) error, end func() error) {
	f, err := arrowfile.Create(io.Discard, &schema.Instructions, nil, arrowfile.None)
	if err != nil {
		b.Fatal(err)
	}
	g := arrowfile.NewRowGroup(&schema.Instructions)
	batch := schema.NewBatchFor(&schema.Instructions, g)
	return func(j rows.Job) error {
		err := j.Fill(batch, func() error {
			err := g.Append(batch)
			batch.Reset()
			return err
		})
		if err != nil {
			return err
		}
		c, err := g.Finish()
		if err != nil {
			return err
		}
		return f.WriteRowGroup(c)
	}, f.Close
}

// arrowFiles returns what writes row groups to the files of a dataset.
func arrowFiles(b *testing.B) (write func(rows.Job) error, end func() error) {
	d, err := dataset.Create(b.TempDir(), dataset.Options{Level: schema.LevelInstructions, Format: schema.Arrow})
	if err != nil {
		b.Fatal(err)
	}
	series, c := d.Series(&schema.Instructions, 0x02), &rows.Coders{Dataset: d}
	return func(j rows.Job) error {
		j.Series = series
		write, err := c.Encode(context.Background(), j)
		if err != nil {
			return err
		}
		return write()
	}, func() error { return d.Close(&schema.Manifest{}) }
}

// cpuTime returns the CPU time of the process in nanoseconds.
func cpuTime(b *testing.B) int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
