package decode

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/schema"
)

// A Family is a trace protocol in all its versions: what opening a capture needs
// to find the protocol's sources, and how the protocol is bound to one of them.
type Family struct {
	// Name is the name of the protocol in --protocol and in the table `sources`:
	// "pft".
	Name string
	// Types are the types that snapshots give the sources, without the version:
	// "PTM". Where several families share a type, the major version follows:
	// "ETM3".
	Types []string
	// ETM reports that the registers are those of a PTM, or of an ETM before ETMv4:
	// ETMIDR has the version, ETMTRACEIDR the trace ID.
	ETM bool
	// ReadVersion reads the version from other registers, false if they do not say it, or
	// are those of another protocol. nil: there are none.
	ReadVersion func(Registers) (version string, ok bool)
	// AArch64 reports that cores are traced in AArch64 too: memory goes beyond 2³².
	AArch64 bool
	// Major is ETMIDR[11:8] of the macrocells; NULL: ETMIDR does not say, or
	// there is none. Version is the major version of the protocol that Major
	// means.
	Major   schema.Null[uint8]
	Version string
	// Versions are the versions that are decoded, the oldest first.
	Versions []FamilyVersion
	// Statuses are the names of the statuses of samples, by their codes; nil: the
	// protocol has no samples.
	Statuses []string
	// Profile is the profile of every core that the protocol traces; "" where it
	// depends on the core.
	Profile string
	// Needed are the registers without which no source of a snapshot can be
	// decoded.
	Needed []string
	// Defaults are the values of registers that are not given for a raw file.
	Defaults []RegisterDefault
	// Missing returns the values that Bind takes of registers which a source lacks; nil: there are no
	// others than those that are Needed.
	Missing func(Source) []RegisterDefault
	// Options are settings beside registers, which --reg takes too.
	Options []Option
	// Unframed reports that formatter frames never carry the protocol.
	Unframed bool
	// ReadHeader reads what a raw file says of itself, from its first bytes
	// (HeaderBytes, or all that it has) and its size. given are the registers and
	// options that the user has given: a header without a magic number is none where
	// they say otherwise. ReadHeader returns false if the file is none of this
	// protocol's, and fails if it says what cannot be.
	ReadHeader func(head []byte, size int64, given Registers) (says []RegisterValue, ok bool, err error)
	// Settings are the fields of registers that decide how a stream is read.
	Settings []Setting
	// Sync names where segments begin, for people.
	Sync SyncNames
	// TraceID is the field with the trace ID of a source, if not
	// ETMTRACEIDR[6:0].
	TraceID TraceIDField
	// DataStream is the field that is not 0 where a source sends data in a stream of its
	// own, which has the next trace ID and is not decoded. Without a register there is none.
	DataStream Setting
	// Bind binds the protocol to a source and returns notes for the user. It
	// fails if the source cannot be decoded. A family without Bind is known by
	// name only.
	Bind func(Source) (p Protocol, notes []string, err error)
}

// SyncNames are words for what decoding begins at.
type SyncNames struct {
	Cut   string // what a segment begins with: "I-sync", or "cut" where that is of several packets
	Needs string // the packets it takes to get there: "A-sync, then I-sync"
}

// ISync are the words where an I-sync says all.
var ISync = SyncNames{Cut: "I-sync", Needs: "A-sync, then I-sync"}

// A FamilyVersion is a version of a protocol.
type FamilyVersion struct {
	Name string // as in the table `sources`: "1.1"
	// Registers are those that decide how a stream is read, as a macrocell of the
	// version may have them.
	Registers []RegisterValue
}

// A RegisterDefault is the value of a register that is not given.
type RegisterDefault struct {
	Register string
	Value    uint64
	Means    string // in words
}

// HeaderBytes is how much of a raw file tells what it is.
const HeaderBytes = 16

// A RegisterValue is the value of a register, or of an [Option].
type RegisterValue struct {
	Name  string
	Value uint64
}

// An Option is a setting of a protocol that is no register of the hardware, but
// given like one: LAYOUT=etb. Its values are words or numbers.
type Option struct {
	Name  string       // in capitals
	Means string       // in words, for people
	Words []OptionWord // the default first
	// Numbers reports that numbers up to Most are values too.
	Numbers bool
	Most    uint64
	// Try are the values worth trying on a file of which nothing is known, each with
	// those of the other options.
	Try []uint64
}

// Word returns the word for a value, "" if it has none.
func (o *Option) Word(value uint64) string {
	for i := range o.Words {
		if o.Words[i].Value == value {
			return o.Words[i].Word
		}
	}
	return ""
}

// Parse returns the value that a word means, in any case, false if it means none.
func (o *Option) Parse(word string) (value uint64, ok bool) {
	for i := range o.Words {
		if strings.EqualFold(o.Words[i].Word, word) {
			return o.Words[i].Value, true
		}
	}
	value, err := strconv.ParseUint(word, 0, 64)
	return value, err == nil && o.Numbers && value <= o.Most
}

// Known lists the values that the option can have, for people.
func (o *Option) Known() string {
	var known []string
	for i := range o.Words {
		known = append(known, o.Words[i].Word)
	}
	if o.Numbers {
		known = append(known, fmt.Sprintf("numbers from 0 to %d", o.Most))
	}
	return strings.Join(known, ", ")
}

// Option returns the option of that name, in any case, nil if there is none.
func (f *Family) Option(name string) *Option {
	for i := range f.Options {
		if strings.EqualFold(f.Options[i].Name, name) {
			return &f.Options[i]
		}
	}
	return nil
}

// An OptionWord is the word for a value of an [Option].
type OptionWord struct {
	Word  string
	Value uint64
}

// A Setting is a field of a register on which the reading of a stream depends.
// Where its value is not known, the others can be tried.
type Setting struct {
	Register string
	Shift    uint8    // of the lowest bit
	Bits     uint8    // width
	Values   []uint64 // of the field, that are worth trying
	Means    []string // what each of Values means, in words
	// NeedsProgram reports that the packets alone do not show whether the value is
	// right: only following the program does.
	NeedsProgram bool
	// NeedsPackets reports the reverse: that a program is followed better says nothing.
	NeedsPackets bool
}

// RegisterField returns a field of a register, from a bit on, of which all values are worth
// trying: those that have a meaning, from 0 on.
func RegisterField(register string, shift uint8, means ...string) Setting {
	s := Setting{Register: register, Shift: shift, Bits: uint8(bits.Len(uint(len(means) - 1))), Means: means}
	for v := range means {
		s.Values = append(s.Values, uint64(v))
	}
	return s
}

// ByProgram returns the field as one of which only following the program shows whether it is right.
func (s Setting) ByProgram() Setting {
	s.NeedsProgram = true
	return s
}

// The fields of ETMCR that several protocols have.
var (
	CycleField     = RegisterField("ETMCR", 12, "not cycle-accurate", "cycle-accurate")
	DataField      = RegisterField("ETMCR", 2, "no data", "data values", "data addresses", "data addresses and values")
	ContextIDField = RegisterField("ETMCR", 14, "no Context ID", "1-byte Context ID", "2-byte Context ID", "4-byte Context ID")
)

// StreamWords are the words for whether a stream counts cycles, and for its Context IDs of so many
// bytes.
func StreamWords(cycleAccurate bool, contextIDBytes int) []string {
	words := []string{CycleField.Means[0], ContextIDField.Means[slices.Index(ContextIDBytes[:], contextIDBytes)]}
	if cycleAccurate {
		words[0] = CycleField.Means[1]
	}
	return words
}

// DataWords are the words for what a stream traces of data, none if that is nothing.
func DataWords(addresses, values bool) []string {
	switch {
	case addresses && values:
		return []string{"data addresses and values"}
	case addresses:
		return []string{"data addresses"}
	case values:
		return []string{"data values"}
	}
	return nil
}

// ContextIDBytes is the meaning of ETMCR[15:14].
var ContextIDBytes = [4]int{0, 1, 2, 4}

// Put returns the value of the register with field v.
func (s *Setting) Put(register, v uint64) uint64 {
	mask := uint64(1)<<s.Bits - 1
	return register&^(mask<<s.Shift) | v&mask<<s.Shift
}

// Get returns the field of a value of the register.
func (s *Setting) Get(register uint64) uint64 { return register >> s.Shift & (1<<s.Bits - 1) }

// Words returns what the field means in a value of the register, "" if that is not
// among the Values.
func (s *Setting) Words(register uint64) string {
	if i := slices.Index(s.Values, s.Get(register)); i >= 0 {
		return s.Means[i]
	}
	return ""
}

// wholeRegister is the width of a field that is all of its register.
const wholeRegister = 32

// Field names the field: "ETMCR[15:14]", "ETMCR[12]", "TRCIDR8".
func (s *Setting) Field() string {
	switch s.Bits {
	case 1:
		return fmt.Sprintf("%s[%d]", s.Register, s.Shift)
	case wholeRegister:
		return s.Register
	}
	return fmt.Sprintf("%s[%d:%d]", s.Register, s.Shift+s.Bits-1, s.Shift)
}

// A TraceIDField is seven bits of the first of its registers that is given.
type TraceIDField struct {
	Registers []string
	Shift     uint8 // of the lowest bit
}
