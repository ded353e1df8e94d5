// Command sizes says how large captures are in each way to keep them: as they are, packed
// as a whole, as an archive, and as rows.
//
//	go run ./bench/sizes [NAME=]SNAPSHOT…
//
// Without a snapshot it measures the sample. Bytes of tables are those of the datasets
// that export writes, with the small tables beside the archive.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/tracelake/tracelake/pipeline/keep"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/parquetfile"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "sizes-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if len(args) == 0 {
		args = []string{"sample=" + filepath.Join(dir, "sample")}
		if err := sample.Extract(filepath.Join(dir, "sample")); err != nil {
			return err
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', tabwriter.AlignRight|tabwriter.Debug)
	fmt.Fprintln(w,
		"capture\tinstructions\tsegments\traw\tzstd -19\tarchive: trace\tof zstd -19\tsmall tables\tinstructions "+
			"zstd1\tblocks zstd3\tpackets zstd11\t")
	for _, arg := range args {
		name, snapshot, ok := strings.Cut(arg, "=")
		if !ok {
			name, snapshot = filepath.Base(arg), arg
		}
		m := &measured{input: snapshot, dir: filepath.Join(dir, "run")}
		if err := m.measure(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%.2f\t%d\t%d\t%d\t%d\t\n", name, m.instructions, m.segments,
			m.raw, m.whole, m.packed, float64(m.packed)/float64(m.whole), m.small, m.rows, m.blocks, m.packets)
	}
	return w.Flush()
}

// measured is the sizes of one capture, in bytes.
type measured struct {
	input, dir             string
	instructions, segments int64
	raw, whole             int64 // trace data; packed as a whole
	packed, small          int64 // in an archive: trace data, and the tables
	rows, blocks, packets  int64 // tables
}

func (m *measured) measure() error {
	s, err := pipeline.Archive(context.Background(), m.input, m.dir,
		keep.ArchiveOptions{Export: pipeline.Options{Workers: runtime.GOMAXPROCS(0)}})
	if err != nil {
		return err
	}
	m.instructions, m.segments = s.Export.Totals.Instructions, s.Export.Totals.Segments
	m.raw, m.packed, m.small = s.Trace, s.Packed, s.Dataset
	if err := os.RemoveAll(m.dir); err != nil {
		return err
	}
	for _, x := range []struct {
		to     *int64
		level  schema.Level
		codec  parquetfile.Codec
		tables []*schema.Table
	}{
		{&m.rows, schema.LevelInstructions, parquetfile.ZSTD1, []*schema.Table{&schema.Instructions}},
		{&m.blocks, schema.LevelBlocks, parquetfile.ZSTD3,
			[]*schema.Table{&schema.Blocks, &schema.BlockRuns, &schema.CodeBlocks}},
		{&m.packets, schema.LevelNone, parquetfile.ZSTD11, []*schema.Table{&schema.Packets}},
	} {
		if *x.to, err = m.export(x.level, x.codec, x.tables); err != nil {
			return err
		}
	}
	return m.pack()
}

// export returns how many bytes tables of an export have.
func (m *measured) export(level schema.Level, codec parquetfile.Codec, tables []*schema.Table) (n int64, err error) {
	s, err := pipeline.Export(context.Background(), m.input, m.dir,
		pipeline.Options{Level: level, Codec: codec.String(), Tables: tables, Workers: runtime.GOMAXPROCS(0)})
	if err != nil {
		return 0, err
	}
	for _, t := range tables {
		n += s.Tables[t.Name].Bytes
	}
	return n, os.RemoveAll(m.dir)
}

// pack packs the trace data as a whole, with the program zstd.
func (m *measured) pack() error {
	c, err := capture.Open(m.input, nil, capture.Options{})
	if err != nil {
		return err
	}
	defer c.Close()
	for _, in := range c.Inputs {
		if in.Kind != capture.TraceFile {
			continue
		}
		zstd := exec.Command("zstd", "-19", "--long=27", "-T1", "-c")
		var packed bytes.Buffer
		zstd.Stdin, zstd.Stdout, zstd.Stderr = io.NewSectionReader(in.Data, 0, in.Bytes), &packed, os.Stderr
		if err := zstd.Run(); err != nil {
			return fmt.Errorf("zstd -19 of %s: %w", in.Path, err)
		}
		m.whole += int64(packed.Len())
	}
	return nil
}
