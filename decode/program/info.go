package program

import (
	"cmp"
	"debug/dwarf"
	"encoding/binary"
)

// An info is what .debug_info says of the code.
type info struct {
	units        []unit
	subprograms  []subprogram
	inlines      []inline // each after the one that contains it
	declarations map[dwarf.Offset]declaration
	split        int // units whose entries are in another file
}

// A unit is a compilation unit.
type unit struct {
	directory string // of compilation
	assembler bool
	table     int64 // offset of its line table, -1 without
}

// A span is a range of addresses.
type span struct{ low, high uint64 }

// A subprogram is a function that has code.
type subprogram struct {
	spans       []span
	declaration dwarf.Offset
	unit        int
	dead        bool
}

// An inline is an inlined function.
type inline struct {
	spans              []span
	ranges             int // in the file, empty ones too
	declaration        dwarf.Offset
	unit               int
	subprogram, parent int    // -1 is none
	depth              int    // 0 directly in the subprogram
	file, line, column uint32 // of the call
}

// A declaration is what entries say of a function; others refer to it.
type declaration struct {
	name, linkage string
	refersTo      dwarf.Offset // 0 is none
	unit          int
	file, line    uint32 // 0 is none
}

// An infoReader reads the entries in their order.
type infoReader struct {
	data  *dwarf.Data
	info  *info
	left  int     // work that may still be done
	open  []scope // of the entries that contain the next one
	entry int     // what reading the entry of the unit costs
	top   uint64  // where addresses end
}

// A scope is in what function an entry is.
type scope struct{ subprogram, inline int }

// readInfo reads the entries of functions. After an error, info is what came
// before it.
func readInfo(s map[string][]byte, order binary.ByteOrder, top uint64) (*info, error) {
	r := &infoReader{info: &info{declarations: map[dwarf.Offset]declaration{}}, top: top}
	if len(s[".debug_info"]) == 0 {
		return r.info, nil
	}
	if err := checkInfo(s, order); err != nil {
		return r.info, err
	}
	r.left = workShare * (len(s[".debug_info"]) + len(s[".debug_ranges"]) + len(s[".debug_rnglists"]))
	err := guarded(func() (err error) {
		if r.data, err = newData(s); err != nil {
			return err
		}
		return r.readAll()
	})
	return r.info, err
}

// newData gives debug/dwarf its sections.
func newData(s map[string][]byte) (*dwarf.Data, error) {
	d, err := dwarf.New(s[".debug_abbrev"], nil, nil, s[".debug_info"], nil, nil, s[".debug_ranges"], s[".debug_str"])
	if err != nil {
		return nil, err
	}
	for _, name := range []string{".debug_addr", ".debug_line_str", ".debug_str_offsets", ".debug_rnglists"} {
		if err := d.AddSection(name, s[name]); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// readAll reads all entries.
func (r *infoReader) readAll() error {
	entries := r.data.Reader()
	for {
		e, err := entries.Next()
		if err != nil || e == nil {
			return err
		}
		if err := r.charge(cost(e)); err != nil {
			return err
		}
		if e.Tag == 0 {
			r.open = r.open[:max(len(r.open)-1, 0)]
			continue
		}
		in, err := r.read(e)
		if err != nil {
			return err
		}
		if e.Children {
			r.open = append(r.open, in)
		}
	}
}

// read reads one entry. It returns the scope of those in it.
func (r *infoReader) read(e *dwarf.Entry) (scope, error) {
	in := scope{-1, -1}
	if n := len(r.open); n > 0 {
		in = r.open[n-1]
	}
	switch e.Tag {
	case dwarf.TagCompileUnit, dwarf.TagPartialUnit, dwarf.TagTypeUnit, dwarf.TagSkeletonUnit:
		r.addUnit(e)
		return scope{-1, -1}, nil
	case dwarf.TagSubprogram, dwarf.TagInlinedSubroutine:
		switch {
		case len(r.info.units) == 0:
			return in, errNoUnit
		case e.Tag == dwarf.TagSubprogram:
			return r.addSubprogram(e)
		default:
			return r.addInline(e, in)
		}
	}
	return in, nil
}

// addUnit adds a unit, in which the next entries are.
func (r *infoReader) addUnit(e *dwarf.Entry) {
	r.open = nil
	r.entry = cost(e)
	u := unit{table: -1}
	u.directory, _ = e.Val(dwarf.AttrCompDir).(string)
	if table, ok := e.Val(dwarf.AttrStmtList).(int64); ok {
		u.table = table
	}
	if e.Val(attrDwoName) != nil || e.Val(attrGNUDwoName) != nil {
		r.info.split++
	}
	language, _ := e.Val(dwarf.AttrLanguage).(int64)
	u.assembler = language == languageAssembler
	r.info.units = append(r.info.units, u)
}

// languageAssembler is DW_LANG_Mips_Assembler, the language of all assembler.
const languageAssembler = 0x8001

// addSubprogram adds a declaration, and a function if there is code of it.
func (r *infoReader) addSubprogram(e *dwarf.Entry) (scope, error) {
	d := declaration{unit: len(r.info.units) - 1, refersTo: origin(e)}
	d.name, _ = e.Val(dwarf.AttrName).(string)
	if d.linkage, _ = e.Val(dwarf.AttrLinkageName).(string); d.linkage == "" {
		d.linkage, _ = e.Val(attrMIPSLinkageName).(string)
	}
	d.file, d.line = number(e, dwarf.AttrDeclFile), number(e, dwarf.AttrDeclLine)
	if d.name != "" || d.linkage != "" || d.refersTo != 0 {
		r.info.declarations[e.Offset] = d
	}
	spans, _, err := r.spans(e)
	if err != nil || len(spans) == 0 {
		return scope{-1, -1}, err
	}
	r.info.subprograms = append(r.info.subprograms, subprogram{spans: spans, declaration: e.Offset, unit: d.unit})
	return scope{len(r.info.subprograms) - 1, -1}, nil
}

// Attributes that debug/dwarf has no names for.
const (
	attrMIPSLinkageName dwarf.Attr = 0x2007 // of linkage names before DWARF 4
	attrDwoName         dwarf.Attr = 0x76   // of units whose entries are in another file
	attrGNUDwoName      dwarf.Attr = 0x2130 // before DWARF 5
)

// origin returns the entry that another one refers to for its names, or 0.
func origin(e *dwarf.Entry) dwarf.Offset {
	if to, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
		return to
	}
	to, _ := e.Val(dwarf.AttrSpecification).(dwarf.Offset)
	return to
}

// number returns an attribute that is a line, a column or the number of a file.
func number(e *dwarf.Entry, a dwarf.Attr) uint32 {
	n, _ := e.Val(a).(int64)
	if n < 0 || n > 1<<32-1 {
		return 0
	}
	return uint32(n)
}

// addInline adds an inlined function, if it is in one that has code.
func (r *infoReader) addInline(e *dwarf.Entry, in scope) (scope, error) {
	spans, ranges, err := r.spans(e)
	if err != nil || in.subprogram < 0 || ranges == 0 {
		return in, err
	}
	i := inline{
		spans: spans, ranges: ranges, declaration: origin(e), unit: len(r.info.units) - 1, subprogram: in.subprogram,
		parent: in.inline,
		file:   number(e, dwarf.AttrCallFile), line: number(e, dwarf.AttrCallLine), column: number(e, dwarf.AttrCallColumn),
	}
	if in.inline >= 0 {
		i.depth = r.info.inlines[in.inline].depth + 1
	}
	r.info.inlines = append(r.info.inlines, i)
	return scope{in.subprogram, len(r.info.inlines) - 1}, nil
}

// spans returns the addresses of the code of an entry but for empty ranges, and
// how many ranges there are.
func (r *infoReader) spans(e *dwarf.Entry) (spans []span, ranges int, err error) {
	if e.AttrField(dwarf.AttrLowpc) == nil && e.AttrField(dwarf.AttrRanges) == nil {
		return nil, 0, nil
	}
	all, err := r.data.Ranges(e)
	if err != nil {
		return nil, 0, err
	}
	if err := r.charge(r.entry + rangeCost*len(all)); err != nil {
		return nil, 0, err
	}
	for _, s := range all {
		if s[0] < s[1] && s[1] <= r.top {
			spans = append(spans, span{s[0], s[1]})
		}
	}
	return spans, len(all), nil
}

// names returns the names of a function: as in the source, and as in the symbol
// table, "" where not said. An entry may refer to another for them, and that
// again, but not for ever.
func (i *info) names(at dwarf.Offset) (name, linkage string) {
	for range maxReferences {
		d, ok := i.declarations[at]
		if !ok {
			break
		}
		name, linkage = cmp.Or(name, d.name), cmp.Or(linkage, d.linkage)
		at = d.refersTo
	}
	return name, linkage
}

// definition returns where a function is defined: what the first entry says that
// says it.
func (i *info) definition(at dwarf.Offset) (unit int, file, line uint32) {
	for range maxReferences {
		d, ok := i.declarations[at]
		if !ok || d.line > 0 {
			return d.unit, d.file, d.line
		}
		at = d.refersTo
	}
	return 0, 0, 0
}

// maxReferences is how many entries are looked at for a name.
const maxReferences = 8
