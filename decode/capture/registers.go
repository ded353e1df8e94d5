package capture

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// A Register is one register of a device, as given.
type Register struct {
	Name      string // without the part in parentheses; "" if only a number was given
	Number    uint32 // offset / 4 in the device
	HasNumber bool
	Bits      int // size, 1 to 64
	Value     uint64
	Word      string // for the value, of a setting that has words; else ""

	option bool // it is no register, but a [decode.Option]
}

// Text returns the name of r, or else its number, and its value: in hex, or the word
// for it.
func (r *Register) Text() (name, value string) { return r.label(), r.text() }

// label names r in tables: its name, or else its number.
func (r *Register) label() string {
	if r.Name == "" {
		return fmt.Sprintf("0x%X", r.Number)
	}
	return r.Name
}

// text returns the word for the value, or else the value in hex, in full width.
func (r *Register) text() string {
	if r.Word != "" {
		return r.Word
	}
	return fmt.Sprintf("0x%0*X", (r.Bits+3)/4, r.Value)
}

// Registers are the registers of one device, in the order given.
type Registers []Register

// A namedRegister is a register that configures a trace source, with its number.
type namedRegister struct {
	name   string
	number uint32
}

// etmRegisters are those of a PTM, or of an ETM before ETMv4, trcRegisters those of an ETMv4 or
// ETE: one number may be of both. A register that is in no list is looked up by its name alone.
var etmRegisters = []namedRegister{
	{"ETMCR", 0x00},
	{"ETMCCR", 0x01},
	{"ETMSR", 0x04},
	{"ETMSCR", 0x05},
	{"ETMSYNCFR", 0x78},
	{"ETMIDR", 0x79},
	{"ETMCCER", 0x7A},
	{"ETMAUXCR", 0x7F},
	{"ETMTRACEIDR", 0x80},
	{"ETMIDR2", 0x82},
}

var trcRegisters = []namedRegister{
	{"TRCCONFIGR", 0x004},
	{"TRCTRACEIDR", 0x010},
	{"TRCIDR8", 0x060},
	{"TRCIDR0", 0x078},
	{"TRCIDR1", 0x079},
	{"TRCIDR2", 0x07A},
	{"TRCDEVARCH", 0x3EF},
}

// registerNumber returns the number of a register of a trace source.
func registerNumber(name string) (uint32, bool) {
	for _, list := range [][]namedRegister{etmRegisters, trcRegisters} {
		for _, r := range list {
			if strings.EqualFold(r.name, name) {
				return r.number, true
			}
		}
	}
	return 0, false
}

// byNumber reports whether r may be the register of that number and another name: its own
// name is none that says which register it is.
func (r *Register) byNumber(number uint32) bool {
	_, named := registerNumber(r.Name)
	return r.HasNumber && r.Number == number && !named
}

// Lookup returns the value of the register of that name, in any case, or else of
// the one that has its number (§5.3).
func (rs Registers) Lookup(name string) (uint64, bool) {
	if v, ok := rs.byName(name); ok {
		return v, true
	}
	if number, ok := registerNumber(name); ok {
		for i := range rs {
			if rs[i].byNumber(number) {
				return rs[i].Value, true
			}
		}
	}
	return 0, false
}

func (rs Registers) byName(name string) (uint64, bool) {
	for _, r := range rs {
		if r.Name != "" && strings.EqualFold(r.Name, name) {
			return r.Value, true
		}
	}
	return 0, false
}

// String returns the registers as "ETMCR=0x00000400 …".
func (rs Registers) String() string {
	words := make([]string, len(rs))
	for i := range rs {
		words[i] = rs[i].label() + "=" + rs[i].text()
	}
	return strings.Join(words, " ")
}

// MarshalJSON returns the registers as an object of names and values, both text:
// {"ETMCR":"0x00000400"}.
func (rs Registers) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	for i := range rs {
		if i > 0 {
			b.WriteByte(',')
		}
		label, err := json.Marshal(rs[i].label())
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s:%q", label, rs[i].text())
	}
	return []byte("{" + b.String() + "}"), nil
}

// set returns rs with r instead of a register of the same name or number, or at the
// end.
func (rs Registers) set(r Register) Registers {
	out := append(Registers(nil), rs...)
	for i := range out {
		sameName := r.Name != "" && strings.EqualFold(out[i].Name, r.Name)
		_, named := registerNumber(r.Name)
		sameNumber := r.HasNumber && out[i].HasNumber && out[i].Number == r.Number
		if sameName || sameNumber && (!named || out[i].byNumber(r.Number)) {
			out[i].Value, out[i].Word = r.Value, r.Word
			return out
		}
	}
	return append(out, r)
}

// parseRegister reads the register with the given key, NAME or NAME(extra), and
// value (§5.3). A register of more than 64 bits has no value.
func (w *warnings) parseRegister(key, value string) (Register, error) {
	name, extra, parens := strings.Cut(key, "(")
	extra, closed := strings.CutSuffix(extra, ")")
	r := Register{Name: strings.TrimRight(name, " \t"), Bits: 32}
	if r.Name == "" || parens && !closed {
		return r, errors.New("is no register name like ETMCR or ETMCR(id:0x0,size:32)")
	}
	for _, word := range splitList(extra) {
		what, n, ok := strings.Cut(word, ":")
		if !ok {
			what, n = "id", word
		}
		v, err := w.number(strings.TrimSpace(n))
		if err != nil {
			return r, err
		}
		switch strings.ToLower(strings.TrimSpace(what)) {
		case "id":
			r.Number, r.HasNumber = uint32(v), true
		case "size":
			r.Bits = int(min(v, 1<<16))
		default:
			return r, fmt.Errorf("has %q in parentheses, which is neither id nor size", clip(word))
		}
		if v > 1<<32-1 || r.Bits == 0 {
			return r, fmt.Errorf("has %q in parentheses, which is out of range", clip(word))
		}
	}
	if r.Bits > 64 {
		return r, nil
	}
	return r, w.setValue(&r, value)
}

// parseNumberedRegister reads a register of [extendregs]: its key is a number.
func (w *warnings) parseNumberedRegister(key, value string) (Register, error) {
	number, err := w.number(key)
	if err == nil && number > 1<<32-1 {
		err = errors.New("is no register number")
	}
	if err != nil {
		return Register{}, err
	}
	r := Register{Number: uint32(number), HasNumber: true, Bits: 32}
	return r, w.setValue(&r, value)
}

// setValue sets the value of r, which must fit into its bits.
func (w *warnings) setValue(r *Register, value string) error {
	v, err := w.number(value)
	if err != nil {
		return err
	}
	if r.Bits < 64 && v>>r.Bits != 0 {
		return fmt.Errorf("has the value %s, which does not fit in its %d bits", value, r.Bits)
	}
	r.Value = v
	return nil
}
