package forge

import (
	"debug/dwarf"
	"encoding/binary"
	"fmt"
)

// An Entry is a debugging information entry.
type Entry struct {
	Tag      dwarf.Tag
	Label    string // for [Ref]
	Values   []Value
	Children []Entry
}

// A Value is an attribute of an entry. The form is that of the value: text
// DW_FORM_string, int DW_FORM_udata, Address, Offset, Ref.
type Value struct {
	Attribute dwarf.Attr
	Value     any
}

// Of returns an attribute with its value.
func Of(a dwarf.Attr, value any) Value { return Value{Attribute: a, Value: value} }

// An Address is a value of form DW_FORM_addr.
type Address uint64

// An Offset into another section is one of form DW_FORM_data4, which is that of
// such offsets up to DWARF 3, or DW_FORM_sec_offset.
type Offset uint32

// A Ref is the entry of that label in the same unit, in form DW_FORM_ref4.
type Ref string

// A Raw is a value of any form.
type Raw struct {
	Form  uint64
	Bytes []byte
}

// A Unit is a unit of .debug_info: one entry and those in it.
type Unit struct {
	Version int
	Wide    bool // addresses have 8 bytes, else 4
	Entry   Entry
}

// Info returns .debug_info and .debug_abbrev of units, each of which has its own
// abbreviations.
func Info(units ...Unit) []Section {
	var info, abbrev []byte
	for _, u := range units {
		w := &infoWriter{version: u.Version, wide: u.Wide, labels: map[string]int{}, fixes: map[int]string{}}
		addressBytes := byte(4)
		if u.Wide {
			addressBytes = 8
		}
		table := uint32(len(abbrev))
		w.info = encode(binary.LittleEndian, uint32(0), uint16(u.Version))
		if u.Version >= 5 {
			w.info = append(w.info, 1, addressBytes) // DW_UT_compile
			w.info = binary.LittleEndian.AppendUint32(w.info, table)
		} else {
			w.info = append(binary.LittleEndian.AppendUint32(w.info, table), addressBytes)
		}
		w.entry(u.Entry)
		for at, label := range w.fixes {
			binary.LittleEndian.PutUint32(w.info[at:], uint32(w.labels[label]))
		}
		binary.LittleEndian.PutUint32(w.info, uint32(len(w.info)-4))
		info, abbrev = append(info, w.info...), append(append(abbrev, w.abbrev...), 0)
	}
	return []Section{{Name: ".debug_info", Data: info}, {Name: ".debug_abbrev", Data: abbrev}}
}

type infoWriter struct {
	version      int
	wide         bool
	info, abbrev []byte
	codes        uint64
	labels       map[string]int
	fixes        map[int]string // offsets of references
}

// entry writes an entry, with an abbreviation of its own.
func (w *infoWriter) entry(e Entry) {
	w.codes++
	w.labels[e.Label] = len(w.info)
	w.info = binary.AppendUvarint(w.info, w.codes)
	w.abbrev = binary.AppendUvarint(binary.AppendUvarint(w.abbrev, w.codes), uint64(e.Tag))
	w.abbrev = append(w.abbrev, byte(min(len(e.Children), 1)))
	for _, v := range e.Values {
		w.abbrev = binary.AppendUvarint(binary.AppendUvarint(w.abbrev, uint64(v.Attribute)), w.value(v.Value))
	}
	w.abbrev = append(w.abbrev, 0, 0)
	for _, c := range e.Children {
		w.entry(c)
	}
	if len(e.Children) > 0 {
		w.info = append(w.info, 0)
	}
}

// value writes a value and returns its form.
func (w *infoWriter) value(value any) (form uint64) {
	switch v := value.(type) {
	case string:
		w.info = append(append(w.info, v...), 0)
		return 0x08
	case int:
		w.info = binary.AppendUvarint(w.info, uint64(v))
		return 0x0F
	case Address:
		if w.wide {
			w.info = binary.LittleEndian.AppendUint64(w.info, uint64(v))
		} else {
			w.info = binary.LittleEndian.AppendUint32(w.info, uint32(v))
		}
		return 0x01
	case Offset:
		w.info = binary.LittleEndian.AppendUint32(w.info, uint32(v))
		if w.version < 4 {
			return 0x06
		}
		return 0x17
	case Ref:
		w.fixes[len(w.info)] = string(v)
		w.info = binary.LittleEndian.AppendUint32(w.info, 0)
		return 0x13
	case Raw:
		w.info = append(w.info, v.Bytes...)
		return v.Form
	}
	panic(fmt.Sprintf("no form of %T", value))
}
