package program

import (
	"cmp"
	"slices"

	"github.com/tracelake/tracelake/decode/program/linetable"
	"github.com/tracelake/tracelake/schema"
)

// linesShare is how many rows there may be for each instruction on average.
const linesShare = 8

// maxRows is how many rows there may be for n instructions.
func maxRows(n int) int { return linesShare*n + 1024 }

// A position is where the lines say that an instruction is from.
type position struct {
	table *linetable.Unit
	row   *linetable.Row // nil without a line
}

// addLines makes the rows of the lines: one for each instruction and depth.
func (p *Program) addLines(d *debugInfo, files *files) {
	positions := p.positions(d)
	inlines := p.innermost(d)
	rows := 0
	for i := range positions {
		if positions[i].row != nil {
			rows += 1 + d.depth(inlines[i])
		}
	}
	if rows > maxRows(len(p.Code)) {
		p.note("section .debug_info: functions are inlined in one another %d deep on average: damaged, they were left out",
			linesShare)
		rows, inlines = len(p.Code), nil
	}
	p.Lines = make([]Line, 0, rows)
	for i := range p.Code {
		in := -1
		if inlines != nil {
			in = inlines[i]
		}
		if positions[i].row != nil {
			p.addChain(d, files, i, positions[i], in)
		}
	}
}

// positions returns the line of each instruction: that of the last row at or
// before it, in a sequence that contains it. Of sequences that overlap, the one
// that begins first has the code, and of those the first in the file.
func (p *Program) positions(d *debugInfo) []position {
	type run struct {
		*linetable.Sequence
		table *linetable.Unit
	}
	var all []run
	for i := range d.lines {
		for j := range d.lines[i].Sequences {
			all = append(all, run{&d.lines[i].Sequences[j], &d.lines[i]})
		}
	}
	slices.SortStableFunc(all, func(a, b run) int { return cmp.Compare(a.Start(), b.Start()) })
	positions := make([]position, len(p.Code))
	next := 0 // the first instruction that has no sequence yet
	for _, s := range all {
		first, _ := p.instruction(schema.Address(s.Start()))
		next = max(next, first)
		row := 0
		for ; next < len(p.Code) && uint64(p.Code[next].Address) < s.End; next++ {
			for row+1 < len(s.Rows) && s.Rows[row+1].Address <= uint64(p.Code[next].Address) {
				row++
			}
			if s.Rows[row].Line > 0 {
				positions[next] = position{s.table, &s.Rows[row]}
			}
		}
	}
	return positions
}

// innermost returns the innermost inlined function that each instruction is of,
// -1 without. Each function comes after the one that contains it.
func (p *Program) innermost(d *debugInfo) []int {
	in := make([]int, len(p.Code))
	for i := range in {
		in[i] = -1
	}
	left := maxRows(len(p.Code))
	for n, inline := range d.inlines {
		p.Dropped.InlineRanges += inline.ranges
		if d.subprograms[inline.subprogram].dead {
			continue
		}
		p.Dropped.InlineRangesKept += inline.ranges
		for _, s := range inline.spans {
			i, _ := p.instruction(schema.Address(s.low))
			for ; i < len(p.Code) && uint64(p.Code[i].Address) < s.high && left > 0; i++ {
				in[i] = n
				left--
			}
		}
	}
	if left == 0 {
		p.note("section .debug_info: inlined functions cover the code more than %d times: damaged, some were left out",
			linesShare)
	}
	return in
}

// depth returns how deep what is inlined in a function is, 0 where none is.
func (d *debugInfo) depth(inline int) int {
	if inline < 0 {
		return 0
	}
	return d.inlines[inline].depth + 1
}

// addChain adds the rows of one instruction, from the innermost function out.
func (p *Program) addChain(d *debugInfo, files *files, i int, at position, inline int) {
	line := Line{
		Address: p.Code[i].Address, Function: p.Code[i].Function, IsStmt: at.row.IsStmt,
		File: files.ofTable(at.table, at.row.File), Line: at.row.Line, Column: at.row.Column,
	}
	for {
		line.InlinedName = files.inlinedName(inline)
		if line.File != "" && line.Line > 0 {
			p.Lines = append(p.Lines, line)
		}
		if inline < 0 {
			return
		}
		call := &d.inlines[inline]
		line.InlineDepth++
		line.File, line.Line, line.Column = files.ofUnit(call.unit, call.file), call.line, call.column
		inline = call.parent
	}
}
