// Package reporttest makes datasets for tests of what reports on them: small ones with executions and
// a program, that a text describes, and that of the sample. Only tests import it.
package reporttest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Write writes the dataset that text describes to dir. A line is a thing:
//
//	label KEY VALUE
//	description TEXT
//	buffer NAME BYTES
//	input PATH BYTES
//	source ID [core=NAME] [name=NAME] [protocol=NAME] [buffer=NAME] [problem=TEXT] [status=STATUS] [bytes=N] [lost=N] [ends=N] [cut=N] [unplaced=N] [gaps=N] [checks=N] [agrees=N] [hz=N] [ticks=N]
//	file NAME ADDRESS BYTES [core=NAME] [match=SHARE] [code=SHA256]
//	loss BYTES REASON [source=ID] [offset=N] [seq=N]
//	memory NAME ADDRESS BYTES [core=NAME] [sha=SHA256]
//	function ADDRESS BYTES NAME [core=NAME] [at=FILE:LINE] [linkage=NAME] [aliases=NAMES] [as=ORDINAL]
//	code ADDRESS ISA KIND [core=NAME] [at=FILE:LINE] [of=INLINED] [conditional] [target=ADDRESS] [in=ORDINAL] [COUNTS]
//	inlined ADDRESS DEPTH FILE:LINE [core=NAME] [of=INLINED]
//	run ADDRESS ISA [source=ID] [COUNTS]
//	timestamp N|? [source=ID] [epoch=N] [cycle=N]
//	instruction ADDRESS ISA KIND [source=ID] [opcode=N] [offset=N] [executed=true|false] [cycles=N]
//	edge FROM TO KIND OUTCOME [source=ID] [n=N]
//	exception SEQ EVENT [source=ID] [type=NAME] [number=N] [offset=N] [epoch=N] [cycle=N]
//	stack [source=ID] [parent=N] [task=N] [function=N] [address=ADDRESS] [entry=NAME] [type=NAME] [number=N] [WORK] [total=N] [total_cycles=N] [as=N]
//	task NAME [source=ID] [context=N] [first=N] [switches=N] [ambiguous=N] [drift=N] [origin=NAME] [WORK]
//	call SEQ END|? [source=ID] [stack=N] [task=N] [end=NAME] [epoch=N] [cycle=N] [end_cycle=N] [WORK]
//	span SEQ END|? [source=ID] [ordinal=N] [task=N] [end=NAME] [ticks=N] [WORK]
//	count EPOCH|? CYCLES|? [source=ID]
//	event SEQ NAME [source=ID]
//
// A loss is added to the lost bytes of its source. Of the lost bytes those of ends are before the first synchronisation, those of cut in
// a packet that is cut off. hz is the frequency of its core, ticks that of timestamps. COUNTS are executed=N failed=N untold=N timed=N cycles=N first=N; those of code are of the
// first source, run has others, also where there is no code. Code is in the function
// around it; INLINED names the inlined function whose line it is. WORK is instructions=N cycles=N. Instructions, exceptions, stacks, tasks, calls
// and spans are numbered as they come; a table of the last four that has no line is left out. Words with spaces stand between quotation marks, as in Go; # begins a
// comment.
func Write(dir, text string) error {
	d := &description{labels: map[string]string{}}
	for n, line := range strings.Split(text, "\n") {
		if err := d.line(line); err != nil {
			return fmt.Errorf("line %d: %s: %w", n+1, line, err)
		}
	}
	out, err := dataset.Create(dir, dataset.Options{Level: schema.LevelInstructions, Overwrite: true, Without: d.absent()})
	if err != nil {
		return err
	}
	d.write(out)
	return out.Close(&schema.Manifest{Description: d.text, Labels: d.labels, Inputs: d.inputs, Buffers: d.buffers, Sources: d.sources, Images: d.images})
}

// A description is what a dataset is to have.
type description struct {
	labels    map[string]string
	text      string
	inputs    []schema.InputFile
	buffers   []schema.BufferBytes
	sources   []schema.SourceTotals
	images    []schema.ImageRegion
	functions []function
	code      []code
	inlined   []code
	runs      []run
	losses    []loss
	times     []timestamp
	rows      []row
}

type timestamp struct {
	source uint8
	value  schema.Null[uint64]
	epoch  int32
	cycle  schema.Null[int64]
}

type loss struct {
	schema.Keys
	bytes  int64
	reason schema.LossReason
}

type function struct {
	core, name, linkage, aliases string
	address, size                uint32
	at                           place
	as                           int64 // ordinal; none: as they come
}

type code struct {
	core        string
	address     uint32
	isa         schema.ISA
	kind        schema.Kind
	conditional bool
	target      schema.Null[uint32]
	depth       uint16
	at          place
	of          string // inlined function
	in          int64  // ordinal of its function; none: that around it
}

const none = -1

type run struct {
	source                          uint8
	address                         uint32
	isa                             schema.ISA
	executed, failed, untold, timed int64
	first                           int64
	cycles                          schema.Null[float64]
}

type place struct {
	file string
	line uint32
}

func (d *description) line(text string) error {
	w, err := split(text)
	if err != nil || len(w.plain) == 0 {
		return err
	}
	switch w.plain[0] {
	case "label":
		d.labels[w.word(1)] = w.word(2)
	case "description":
		d.text = w.word(1)
	case "buffer":
		d.buffers = append(d.buffers, schema.BufferBytes{Name: w.word(1), Bytes: int64(w.number(2))})
	case "input":
		d.inputs = append(d.inputs, schema.InputFile{Path: w.word(1), Bytes: int64(w.number(2)), SHA256: "5a"})
	case "loss":
		d.addLoss(w)
	case "source":
		d.addSource(w)
	case "file":
		d.images = append(d.images, schema.ImageRegion{
			File: w.word(1), SHA256: w.key("code", "c0de"), CodeSHA256: w.key("code", "c0de"), Address: w.number(2), Bytes: int64(w.number(3)),
			Core: w.key("core", ""), Role: schema.RoleSymbols.String(), Match: w.match(),
		})
	case "memory":
		d.images = append(d.images, schema.ImageRegion{
			File: w.word(1), SHA256: w.key("sha", "5a"), Address: w.number(2), Bytes: int64(w.number(3)), Core: w.key("core", ""),
		})
	case "function":
		name := w.word(3)
		d.functions = append(d.functions, function{
			core: w.key("core", ""), address: w.number(1), size: w.number(2), name: name,
			linkage: w.key("linkage", name), aliases: w.key("aliases", ""), at: w.place(w.key("at", "")), as: w.keyNumber("as", none),
		})
	case "code":
		d.addCode(w)
	case "inlined":
		d.inlined = append(d.inlined, code{
			core: w.key("core", ""), address: w.number(1), depth: uint16(w.number(2)), at: w.place(w.word(3)), of: w.key("of", ""),
		})
	case "run":
		d.runs = append(d.runs, w.run(w.number(1), w.isa(2), uint8(w.keyNumber("source", int64(d.sources[0].Source)))))
	case "timestamp":
		d.addTimestamp(w)
	default:
		return d.addRow(w)
	}
	return w.err
}

func (d *description) addSource(w *words) {
	s := schema.SourceTotals{Source: uint8(w.number(1)), Core: w.key("core", ""), Name: w.key("name", ""), Protocol: w.key("protocol", ""), Buffer: w.key("buffer", ""), Problem: w.key("problem", ""), Status: w.key("status", "decoded"), Unit: "bytes", CycleHz: uint64(w.keyNumber("hz", 0)), TimestampHz: uint64(w.keyNumber("ticks", 0))}
	s.Bytes, s.BytesLost, s.BytesUnplaced = w.keyNumber("bytes", 1000), w.keyNumber("lost", 0), w.keyNumber("unplaced", 0)
	s.BytesDecoded = s.Bytes - s.BytesLost
	keys := schema.Keys{Source: s.Source}
	ends, cut := w.keyNumber("ends", 0), w.keyNumber("cut", 0)
	for _, l := range []loss{
		{keys, ends, schema.LossUnsynced}, {keys, s.BytesLost - ends - cut, schema.LossBadPacket}, {keys, cut, schema.LossTruncated},
	} {
		if l.bytes > 0 {
			d.losses = append(d.losses, l)
		}
	}
	s.Gaps = w.keyNumber("gaps", 0)
	if checks := w.keyNumber("checks", 0); checks > 0 {
		s.Agreement = &schema.Agreement{BranchChecks: checks, BranchAgrees: w.keyNumber("agrees", checks)}
	}
	d.sources = append(d.sources, s)
}

func (d *description) addLoss(w *words) {
	l := loss{bytes: int64(w.number(1)), reason: schema.LossReason(w.name(schema.LossReasonNames, w.word(2)))}
	l.Source = uint8(w.keyNumber("source", int64(d.sources[0].Source)))
	l.Seq, l.ByteOffset = w.keyNumber("seq", 0), w.keyNumber("offset", 0)
	for i := range d.sources {
		if s := &d.sources[i]; s.Source == l.Source {
			s.BytesLost += l.bytes
			s.BytesDecoded -= l.bytes
		}
	}
	d.losses = append(d.losses, l)
}

func (d *description) addTimestamp(w *words) {
	x := timestamp{source: uint8(w.keyNumber("source", int64(d.sources[0].Source))), epoch: int32(w.keyNumber("epoch", 0))}
	if text := w.word(1); text != "?" {
		x.value = schema.Of(uint64(w.parse(text)))
	}
	if w.keys["cycle"] != "" {
		x.cycle = schema.Of(w.keyNumber("cycle", 0))
	}
	d.times = append(d.times, x)
}

func (d *description) addCode(w *words) {
	c := code{
		core: w.key("core", ""), address: w.number(1), isa: w.isa(2), kind: schema.Kind(slices.Index(schema.KindNames, w.word(3))),
		conditional: slices.Contains(w.plain, "conditional"), at: w.place(w.key("at", "")), of: w.key("of", ""), in: w.keyNumber("in", none),
	}
	if w.keys["target"] != "" {
		c.target = schema.Of(uint32(w.keyNumber("target", 0)))
	}
	d.code = append(d.code, c)
	if r := w.run(c.address, c.isa, 0); r.executed+r.failed+r.untold > 0 {
		r.source = d.sources[0].Source
		d.runs = append(d.runs, r)
	}
}

// function returns the ordinal of the function around an address.
func (d *description) function(core string, address uint32) schema.Null[int32] {
	ordinal := int32(0)
	for _, f := range d.functions {
		if f.core != core {
			continue
		}
		if f.address <= address && address < f.address+f.size {
			return schema.Of(ordinal)
		}
		ordinal++
	}
	return schema.Null[int32]{}
}

// lines returns what has source lines, in the order of the table.
func (d *description) lines() []code {
	all := slices.Concat(d.code, d.inlined)
	slices.SortStableFunc(all, func(x, y code) int {
		return cmp.Or(strings.Compare(x.core, y.core), cmp.Compare(x.address, y.address), cmp.Compare(x.depth, y.depth))
	})
	return all
}

func (d *description) write(out *dataset.Writer) {
	ordinals := map[string]int32{}
	for _, f := range d.functions {
		ordinal := ordinals[f.core]
		if f.as != none {
			ordinal = int32(f.as)
		}
		schema.AppendFunctions(out.Table(&schema.Functions, 0).Row(), f.core, ordinal, f.address, f.size, f.name, f.linkage, f.aliases,
			f.at.file, schema.Null[uint32]{V: f.at.line, OK: f.at.line != 0}, schema.OriginSymbol)
		ordinals[f.core]++
	}
	for _, c := range d.code {
		size := uint8(2)
		if c.isa == schema.A32 {
			size = 4
		}
		function := d.function(c.core, c.address)
		if c.in != none {
			function = schema.Of(int32(c.in))
		}
		schema.AppendCode(out.Table(&schema.Code, 0).Row(), c.core, c.address, size, c.isa, 0, c.kind, c.conditional, c.target,
			schema.Null[schema.ISA]{V: c.isa, OK: c.target.OK}, function, ".text")
	}
	for _, c := range d.lines() {
		if c.at.file != "" {
			schema.AppendLines(out.Table(&schema.Lines, 0).Row(), c.core, c.address, c.depth, c.at.file, c.at.line, 0, true, d.function(c.core, c.address), c.of)
		}
	}
	for _, l := range d.losses {
		schema.AppendLosses(out.Table(&schema.Losses, l.Source).Row(), l.Keys, l.bytes, l.reason, "")
	}
	for _, x := range d.times {
		schema.AppendTimestamps(out.Table(&schema.Timestamps, x.source).Row(), schema.Keys{Source: x.source}, x.value, 64, x.epoch, x.cycle)
	}
	for i := range d.sources {
		d.sources[i].Losses = int64(len(d.losses))
	}
	d.writeRows(out)
	for _, r := range d.runs {
		schema.AppendCounts(out.Table(&schema.Counts, r.source).Row(), r.source, r.address, r.isa, r.executed, r.failed, r.untold, r.first, r.timed,
			schema.Null[int64]{V: int64(r.cycles.V), OK: r.cycles.OK}, r.cycles)
		i := slices.IndexFunc(d.sources, func(s schema.SourceTotals) bool { return s.Source == r.source })
		d.sources[i].Instructions += r.executed + r.failed + r.untold
	}
}

// words are those of a line. The first thing that is wrong with them is kept.
type words struct {
	plain []string
	keys  map[string]string // KEY=VALUE
	err   error
}

func split(line string) (*words, error) {
	w := &words{keys: map[string]string{}}
	for rest := strings.TrimSpace(line); rest != "" && rest[0] != '#'; rest = strings.TrimSpace(rest) {
		end := strings.IndexAny(rest, " \"")
		if end < 0 {
			end = len(rest)
		}
		word := rest[:end]
		if rest = rest[end:]; strings.HasPrefix(rest, `"`) {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return nil, err
			}
			text, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, err
			}
			rest = rest[len(quoted):]
			if key, ok := strings.CutSuffix(word, "="); ok {
				w.keys[key] = text
			} else {
				w.plain = append(w.plain, text)
			}
			continue
		}
		if key, value, ok := strings.Cut(word, "="); ok {
			w.keys[key] = value
		} else {
			w.plain = append(w.plain, word)
		}
	}
	return w, nil
}

func (w *words) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

func (w *words) word(i int) string {
	if i >= len(w.plain) {
		w.fail("%d words, need %d", len(w.plain), i+1)
		return ""
	}
	return w.plain[i]
}

func (w *words) number(i int) uint32 { return uint32(w.parse(w.word(i))) }

func (w *words) parse(text string) int64 {
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		w.fail("%w", err)
	}
	return n
}

func (w *words) key(name, otherwise string) string {
	if text, ok := w.keys[name]; ok {
		return text
	}
	return otherwise
}

func (w *words) keyNumber(name string, otherwise int64) int64 {
	if text, ok := w.keys[name]; ok {
		return w.parse(text)
	}
	return otherwise
}

func (w *words) isa(i int) schema.ISA {
	isa := slices.Index(schema.ISANames, w.word(i))
	if isa < 0 {
		w.fail("no instruction set %s; there are %v", w.word(i), slices.Sorted(maps.Keys(map[string]bool{"a32": true, "t32": true})))
	}
	return schema.ISA(isa)
}

func (w *words) match() *float64 {
	text, ok := w.keys["match"]
	if !ok {
		return nil
	}
	share, err := strconv.ParseFloat(text, 64)
	if err != nil {
		w.fail("%w", err)
	}
	return &share
}

func (w *words) place(text string) place {
	if text == "" {
		return place{}
	}
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		w.fail("%s is not FILE:LINE", text)
		return place{}
	}
	return place{text[:i], uint32(w.parse(text[i+1:]))}
}

func (w *words) run(address uint32, isa schema.ISA, source uint8) run {
	r := run{
		source: source, address: address, isa: isa,
		executed: w.keyNumber("executed", 0), failed: w.keyNumber("failed", 0), untold: w.keyNumber("untold", 0), timed: w.keyNumber("timed", 0),
		first: w.keyNumber("first", 0),
	}
	if text, ok := w.keys["cycles"]; ok {
		cycles, err := strconv.ParseFloat(text, 64)
		if err != nil {
			w.fail("%w", err)
		}
		r.cycles = schema.Of(cycles)
	}
	return r
}
