// Package datasettest makes datasets for tests: a text describes them, a line for each row or
// part of the manifest. Only tests import it.
//
// Its API is not stable (docs/guide/library.md).
package datasettest

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Write writes the dataset that text describes to dir. A line is a thing:
//
//	label KEY VALUE
//	description TEXT
//	buffer NAME BYTES
//	input PATH BYTES
//	source ID [core=NAME] [name=NAME] [protocol=NAME] [buffer=NAME] [problem=TEXT] [status=STATUS] [bytes=N]
//	       [lost=N] [ends=N] [cut=N] [unplaced=N] [gaps=N] [checks=N] [agrees=N] [hz=N] [ticks=N]
//	file NAME ADDRESS BYTES [core=NAME] [match=SHARE] [code=SHA256] [base=N]
//	memory NAME ADDRESS BYTES [core=NAME] [sha=SHA256]
//
// or a row of one of [kinds], whose words come first. Any other column is KEY=VALUE, by its name
// or one of [short]; as in [sample.Rows] enums are by name. What is not given is NULL, or zero, or
// as kinds has it; ? is NULL. A row is of the first source unless source=ID stands in it, and has
// a number of its own where it has none: rows are numbered as they come, by source and core.
//
//	code ADDRESS ISA KIND [conditional] [at=FILE:LINE] [of=INLINED] [executed=N] [failed=N] [unknown=N] …
//
// makes a row of `lines` and one of `counts`, of the first source, too. `run` makes one for other
// sources, or where there is no code. Code is in the function around it unless in=ORDINAL says
// otherwise. INLINED names the inlined function whose line it is.
//
// A loss is added to the lost bytes of its source. Of the lost bytes those of ends are before the
// first synchronisation, those of cut in a packet that is cut off. hz is the frequency of its
// core, ticks that of timestamps. Calls add to the stack that they are of, and to `call_times`, how
// many there were, and how long they took. Tables of stacks that have no line are left out. Words with
// spaces stand between quotation marks, as in Go; # begins a comment.
func Write(dir, text string) error {
	d := &description{manifest: schema.Manifest{Labels: map[string]string{}}, next: map[series]int{}}
	for n, line := range strings.Split(text, "\n") {
		if err := d.line(line); err != nil {
			return fmt.Errorf("line %d: %s: %w", n+1, line, err)
		}
	}
	d.addDurations()
	options := dataset.Options{Level: schema.LevelInstructions, Overwrite: true, Without: d.absent()}
	out, err := dataset.Create(dir, options)
	if err != nil {
		return err
	}
	if err := d.write(out); err != nil {
		return err
	}
	return out.Close(&d.manifest)
}

// Datasets writes the datasets that texts describe, and returns their directories.
func Datasets(t testing.TB, texts ...string) []string {
	t.Helper()
	dirs := make([]string, len(texts))
	for i, text := range texts {
		dirs[i] = filepath.Join(t.TempDir(), "run")
		if err := Write(dirs[i], text); err != nil {
			t.Fatal(err)
		}
	}
	return dirs
}

// A description is what a dataset is to have.
type description struct {
	manifest schema.Manifest
	rows     []row
	next     map[series]int // numbers of rows
}

// stackTables are the tables that are left out unless they have rows.
var stackTables = []*schema.Table{&schema.Stacks, &schema.Tasks, &schema.CallTimes, &schema.Calls, &schema.ExceptionSpans}

// absent returns the tables that are left out.
func (d *description) absent() []*schema.Table {
	return slices.DeleteFunc(slices.Clone(stackTables), func(t *schema.Table) bool {
		return slices.ContainsFunc(d.rows, func(r row) bool { return r.table == t })
	})
}

func (d *description) line(text string) error {
	w, err := split(text)
	if err != nil || len(w.plain) == 0 {
		return err
	}
	m := &d.manifest
	switch w.plain[0] {
	case "label":
		m.Labels[w.word(1)] = w.word(2)
	case "description":
		m.Description = w.word(1)
	case "buffer":
		m.Buffers = append(m.Buffers, schema.BufferBytes{Name: w.word(1), Bytes: w.number(2)})
	case "input":
		m.Inputs = append(m.Inputs, schema.InputFile{Path: w.word(1), Bytes: w.number(2), SHA256: "5a"})
	case "source":
		d.addSource(w)
	case "file":
		code := w.key("code", "c0de")
		m.Images = append(m.Images, schema.ImageRegion{
			File: w.word(1), SHA256: code, CodeSHA256: code, Address: w.address(2), Bytes: w.number(3),
			Core: w.key("core", ""), Role: schema.RoleSymbols.String(), Match: w.share("match"),
			Base: schema.Address(w.keyNumber("base", 0)),
		})
	case "memory":
		m.Images = append(m.Images, schema.ImageRegion{
			File: w.word(1), SHA256: w.key("sha", "5a"), Address: w.address(2), Bytes: w.number(3),
			Core: w.key("core", ""),
		})
	default:
		d.addRow(w)
	}
	return w.err
}

func (d *description) addSource(w *words) {
	s := schema.SourceTotals{
		Source: uint8(w.number(1)), Core: w.key("core", ""), Name: w.key("name", ""),
		Protocol: w.key("protocol", ""), Buffer: w.key("buffer", ""), Problem: w.key("problem", ""),
		Status: w.key("status", "decoded"), Unit: "bytes",
		CycleHz: uint64(w.keyNumber("hz", 0)), TimestampHz: uint64(w.keyNumber("ticks", 0)),
	}
	s.Bytes, s.BytesLost = w.keyNumber("bytes", 1000), w.keyNumber("lost", 0)
	s.BytesUnplaced = w.keyNumber("unplaced", 0)
	s.BytesDecoded, s.Gaps = s.Bytes-s.BytesLost, w.keyNumber("gaps", 0)
	if checks := w.keyNumber("checks", 0); checks > 0 {
		s.Agreement = &schema.Agreement{BranchChecks: checks, BranchAgrees: w.keyNumber("agrees", checks)}
	}
	ends, cut := w.keyNumber("ends", 0), w.keyNumber("cut", 0)
	s.Ends = schema.Ends{Gaps: w.keyNumber("end_gaps", 0), Unsynced: ends, Truncated: cut}
	d.manifest.Sources = append(d.manifest.Sources, s)
	for _, l := range []struct {
		bytes  int64
		reason schema.LossReason
	}{{ends, schema.LossUnsynced}, {s.BytesLost - ends - cut, schema.LossBadPacket}, {cut, schema.LossTruncated}} {
		if l.bytes > 0 {
			d.rows = append(d.rows, row{&schema.Losses, cells{
				"source": fmt.Sprint(s.Source), "bytes": fmt.Sprint(l.bytes), "reason": l.reason.String(),
			}})
		}
	}
}

// source returns the source that a row is of.
func (d *description) source(r row) *schema.SourceTotals {
	id := uint8(r.cells.number("source"))
	i := slices.IndexFunc(d.manifest.Sources, func(s schema.SourceTotals) bool { return s.Source == id })
	return &d.manifest.Sources[i]
}

// Stacked describes a program of three functions that ran, to which tests add stacks.
const Stacked = `
source 0x10
file fw.elf 0x1000 0x100 match=1
function 0x1000 8 main
function 0x1008 8 work
function 0x1010 8 handler
code 0x1000 a32 other executed=10
code 0x1008 a32 other executed=6
code 0x1010 a32 other executed=2
`
