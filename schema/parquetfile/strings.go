package parquetfile

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
)

// appendText appends a byte array as PLAIN has it: its length, then its bytes.
func appendText[T string | []byte](dst []byte, s T) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(s))), s...)
}

// dictStrings are strings that often repeat, in a dictionary until it is full.
type dictStrings struct {
	list   []string // in the order they first come
	number map[string]uint16
	full   bool     // pages are plain from here on
	plain  textSpan // what plain pages hold
	index  []byte   // words, low byte first
}

func (e *dictStrings) reset() {
	clear(e.list)
	e.list = e.list[:0]
	clear(e.number)
	e.full, e.plain = false, textSpan{}
}

func (e *dictStrings) appendPage(dst []byte, v *schema.Vector, valid []uint8) ([]byte, format.Encoding) {
	if !e.full && e.count(v.Str, valid) {
		return appendWords(append(dst, 16), e.index), format.RLEDictionary
	}
	e.full = true
	e.plain.addValid(v.Str, valid)
	return appendTexts(dst, v.Str, valid), format.Plain
}

// count fills e.index with the indexes of the values. It fails if the
// dictionary is full.
func (e *dictStrings) count(values []string, valid []uint8) bool {
	if e.number == nil {
		e.number = make(map[string]uint16)
	}
	e.index = e.index[:0]
	for i, s := range values {
		if valid != nil && valid[i] == 0 {
			continue
		}
		j, ok := e.number[s]
		if !ok {
			if len(e.list) == maxEntries {
				return false
			}
			j = uint16(len(e.list))
			e.number[s] = j
			e.list = append(e.list, s)
		}
		e.index = binary.LittleEndian.AppendUint16(e.index, j)
	}
	return true
}

func (e *dictStrings) appendDictionary(dst []byte) ([]byte, int) {
	return appendTexts(dst, e.list, nil), len(e.list)
}

func (e *dictStrings) bounds() (least, greatest []byte) {
	all := e.plain
	all.addValid(e.list, nil)
	return all.bytes()
}

func appendTexts[T string | []byte](dst []byte, values []T, valid []uint8) []byte {
	for i, s := range values {
		if valid == nil || valid[i] != 0 {
			dst = appendText(dst, s)
		}
	}
	return dst
}

// plainStrings are strings that seldom repeat.
type plainStrings struct {
	noDictionary
	all textSpan
}

func (e *plainStrings) reset() { e.all = textSpan{} }

func (e *plainStrings) appendPage(dst []byte, v *schema.Vector, valid []uint8) ([]byte, format.Encoding) {
	e.all.addValid(v.Str, valid)
	return appendTexts(dst, v.Str, valid), format.Plain
}

func (e *plainStrings) bounds() (least, greatest []byte) { return e.all.bytes() }

// byteStrings are byte strings. Their bounds are not kept.
type byteStrings struct{ memoryless }

func (byteStrings) appendPage(dst []byte, v *schema.Vector, valid []uint8) ([]byte, format.Encoding) {
	return appendTexts(dst, v.Bin, valid), format.Plain
}

// maxBound is the most bytes of a text in a bound. Longer texts are no bounds: cut
// off, they would be values that no row has.
const maxBound = 64

// A textSpan is the least and the greatest of some texts in the order of their
// bytes, which is the order of UTF8 columns.
type textSpan struct {
	least, greatest string
	some            bool
}

func (s *textSpan) add(x string) {
	switch {
	case !s.some:
		*s = textSpan{x, x, true}
	case x < s.least:
		s.least = x
	case x > s.greatest:
		s.greatest = x
	}
}

// addValid adds the texts that are not 0 in valid; nil means all.
func (s *textSpan) addValid(values []string, valid []uint8) {
	for i, x := range values {
		if valid == nil || valid[i] != 0 {
			s.add(x)
		}
	}
}

// bytes returns the bounds, nil if one cannot be kept: thrift has no empty one.
func (s *textSpan) bytes() (least, greatest []byte) {
	if s.least == "" || len(s.least) > maxBound || len(s.greatest) > maxBound {
		return nil, nil
	}
	return []byte(s.least), []byte(s.greatest)
}
