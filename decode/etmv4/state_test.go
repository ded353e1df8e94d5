package etmv4

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
)

// The packet state follows the stream: what each packet leaves out comes from those before.
func TestState(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cfg   *Config
		bytes string
		want  string // the history, the newest first; timestamp and threshold if there are any
	}{
		{"nothing told", &plain, "01 00", "0 0 0"},
		{"an entry for each address", &plain, "01 00 9a 00 10 00 00  95 04  9a 00 20 00 00", "4000 2010 2000"},
		{"exact match 0 makes two alike", &plain, "01 00 9a 04 00 00 00 95 08 90", "20 20 10"},
		{"exact match 2", &plain, "01 00 9a 04 00 00 00 95 08 95 0c 92", "10 30 20"},
		{"exact match has the instruction set", &plain, "01 00 96 04 95 08 91", "8/1 20 8/1"},
		{"high bits stay in 32-bit addresses", &plain, "01 00 9d 00 00 00 00 01 00 00 80 9a 04 00 00 00 96 05", "800000010000000a/1 8000000100000010 8000000100000000"},
		{"a cancelled address stays", &spec255, "01 00 95 04 f7 2e 01 95 08", "20 10 0"},
		{"sources and Q packets enter it", &Config{ETE: true, QSupp: 3, CycleBits: 12}, "01 00 b4 04 a5 08 05 ac 01", "20 10 0"},
		{"an address with context", &plain, "01 00 82 04 00 00 00 00", "10 0 0"},
		{"a transaction failure tells 0", &ete10, "01 00 95 04 06 31 70", "0 10 0"},
		{"a reset of an ETE tells 0", &ete10, "01 00 95 04 06 01 70", "0 10 0"},
		{"that of an ETMv4 does not", &plain, "01 00 95 04 06 01", "10 0 0"},
		{"an A-sync alone changes nothing", &plain, "01 08 16 95 04 02 05 " + asyncBytes, "10 0 0 ts 5 T 22"},
		{"a Trace Info resets", &plain, "01 08 16 95 04 02 05 01 00", "0 0 0"},
		{"a Trace On does not", &plain, "01 00 95 04 04", "10 0 0"},
		{"timestamps keep their high bits", &plain, "01 00 02 80 81 01 02 05", "0 0 0 ts 4085"},
	} {
		var s State
		b := unhex(t, tt.bytes)
		for p := (Packet{}); len(b) > 0; b = b[p.Len:] {
			if err := tt.cfg.Parse(&p, b); err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			s.Apply(tt.cfg, &p)
		}
		if got := s.words(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// A decoder that begins at a cut has the packet state that the packets since the Trace Info
// packet have told, and carries it over parts.
func TestDecoderState(t *testing.T) {
	d := plain.NewDecoder(image.New(), decode.Wanted{}).(*Decoder)
	var r decode.Result
	part := func(before, data string, continued bool) string {
		t.Helper()
		b := unhex(t, data)
		p := decode.Part{Data: b, Before: unhex(t, before), Continued: continued, Open: true}
		p.Offsets.Append(0, len(b))
		d.Decode(&r, p)
		return d.State.words()
	}
	for _, tt := range []struct {
		before, data string
		continued    bool
		want         string
	}{
		{syncA + "95 04 02 07" + "01 08 16 9a 00 10 00 00 02 80 20", "81 31", false, "2000 0 0 ts 1000 T 22"},
		{"", "95 04 02 05", true, "2010 2000 0 ts 1005 T 22"},
		{"", "f7", true, "2010 2000 0 ts 1005 T 22"},
		{syncA + syncT, at1000, false, "1000 0 0"},
	} {
		if got := part(tt.before, tt.data, tt.continued); got != tt.want {
			t.Errorf("%s before %s: %s, want %s", tt.before, tt.data, got, tt.want)
		}
	}
}

// words describes the state.
func (s *State) words() string {
	var words []string
	for _, a := range s.History {
		w := fmt.Sprintf("%x", a.Address)
		if a.IS1 {
			w += "/1"
		}
		words = append(words, w)
	}
	if s.Timestamp != 0 {
		words = append(words, fmt.Sprintf("ts %x", s.Timestamp))
	}
	if s.Threshold != 0 {
		words = append(words, fmt.Sprintf("T %d", s.Threshold))
	}
	return strings.Join(words, " ")
}

// How many P0 elements are open after packets.
func TestOpen(t *testing.T) {
	commits := counting
	commits.MaxSpec = 20
	notP0 := spec255
	notP0.CommTrans = true
	v8m, v7m := micro, micro
	v8m.MaxSpec, v7m.MaxSpec, v7m.Minor = 9, 9, 0
	qs := withQs
	qs.MaxSpec = 9
	for _, tt := range []struct {
		name  string
		cfg   *Config
		start Open
		bytes string
		want  Open
	}{
		{"atoms", &spec255, 0, "d4 f7 dc", 29},
		{"no speculation", &plain, 0, "d4 f7", 0},
		{"as many as may be", &commits, 0, "d4", 20},
		{"commit", &spec255, 3, "2d 02", 1},
		{"commit of more than are open", &spec255, 3, "2d 04 f7", 1},
		{"cancel", &spec255, 3, "2e 03", 0},
		{"cancel of more than are open", &spec255, 3, "2f 7f", 0},
		{"atoms of a mispredict", &spec255, 1, "32", 3},
		{"a cancel of format 2 with its own atom", &spec255, 1, "35", 1},
		{"a cancel of format 3", &spec255, 5, "3b", 3},
		{"a cycle count commits", &commits, 9, "0f 02 0c 10 14", 3},
		{"counted from the most", &commits, 17, "0d b0", 1},
		{"with COMMOPT it does not", &spec255, 9, "0f 0c 10 14", 9},
		{"exception, Q and source", &Config{ETE: true, QSupp: 3, MaxSpec: 9, CommOpt: true, CycleBits: 12}, 0, "06 05 a0 01 b0", 3},
		{"addresses, contexts, Trace On", &spec255, 1, "95 04 81 00 04", 1},
		{"transaction start", &spec255, 0, "0a 0b", 1},
		{"transaction start that is none", &notP0, 0, "0a 0b", 0},
		{"transaction failure and reset of an ETE", &spec255, 0, "06 31 70 06 01 70", 0},
		{"returns of v8-M", &v8m, 0, "05 05 07", 2},
		{"returns of v7-M", &v7m, 0, "07", 1},
		{"returns of profile A", &Config{Profile: "A", MaxSpec: 9, CycleBits: 12}, 0, "07", 0},
		{"a Q counts no elements", &qs, 3, "ac 02", 4},
	} {
		open, b := tt.start, unhex(t, tt.bytes)
		for p := (Packet{}); len(b) > 0; b = b[p.Len:] {
			if err := tt.cfg.Parse(&p, b); err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			open.Apply(tt.cfg, &p)
		}
		if open != tt.want {
			t.Errorf("%s: %d open, want %d", tt.name, open, tt.want)
		}
	}
}
