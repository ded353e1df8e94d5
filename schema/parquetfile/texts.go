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

// words are strings that come again and again, in a dictionary while it lasts.
type words struct {
	list   []string // in the order they first come
	number map[string]uint16
	full   bool // pages are plain from here on
	index  []uint16
}

func (e *words) reset() {
	clear(e.list)
	e.list = e.list[:0]
	clear(e.number)
	e.full = false
}

func (e *words) appendPage(dst []byte, v *schema.Vector, valid []uint8) ([]byte, format.Encoding) {
	if !e.full && e.count(v.Str, valid) {
		return appendWords(append(dst, 16), e.index), format.RLEDictionary
	}
	e.full = true
	return appendTexts(dst, v.Str, valid), format.Plain
}

// count fills e.index with the indexes of the values. It fails if the
// dictionary is full.
func (e *words) count(values []string, valid []uint8) bool {
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
		e.index = append(e.index, j)
	}
	return true
}

func (e *words) appendDictionary(dst []byte) ([]byte, int) {
	return appendTexts(dst, e.list, nil), len(e.list)
}

func (e *words) bounds() (least, greatest []byte) { return nil, nil }

func appendTexts[T string | []byte](dst []byte, values []T, valid []uint8) []byte {
	for i, s := range values {
		if valid == nil || valid[i] != 0 {
			dst = appendText(dst, s)
		}
	}
	return dst
}

// texts are strings that seldom come again.
type texts struct{}

func (texts) reset() {}

func (texts) appendPage(dst []byte, v *schema.Vector, valid []uint8) ([]byte, format.Encoding) {
	return appendTexts(dst, v.Str, valid), format.Plain
}

func (texts) appendDictionary(dst []byte) ([]byte, int) { return dst, 0 }

func (texts) bounds() (least, greatest []byte) { return nil, nil }

// blobs are byte strings.
type blobs struct{ texts }

func (blobs) appendPage(dst []byte, v *schema.Vector, valid []uint8) ([]byte, format.Encoding) {
	return appendTexts(dst, v.Bin, valid), format.Plain
}
