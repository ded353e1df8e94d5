package etmv4

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
)

// headerTable is the table of headers, with the name of the packet, the condition under
// which a configuration has it, and how many bytes it has if all that follow are 0. Headers
// that are not in it are reserved.
const headerTable = `
01 01  trace_info                     always    2
02 02  timestamp                      always    2
03 03  timestamp                      always    3
04 04  trace_on                       always    1
05 05  function_return                v8m       1
06 06  exception                      always    2
07 07  exception_return               etm       1
09 09  instrumentation                ete1.3    10
0a 0a  transaction_start              ete       1
0b 0b  transaction_commit             ete       1
0c 0d  cycle_count_f2                 always    2
0e 0e  cycle_count_f1                 commopt   2
0e 0e  cycle_count_f1                 commits   3
0f 0f  cycle_count_f1                 commopt   1
0f 0f  cycle_count_f1                 commits   2
10 1f  cycle_count_f3                 always    1
20 27  numbered_data_sync_marker      data      1
28 2c  unnumbered_data_sync_marker    data      1
2d 2d  commit                         always    2
2e 2f  cancel_f1                      always    2
30 33  mispredict                     always    1
34 37  cancel_f2                      always    1
38 3f  cancel_f3                      always    1
40 42  conditional_instruction_f2     cond      1
43 43  conditional_flush              cond      1
44 46  conditional_result_f4          cond      1
48 4a  conditional_result_f2          cond      1
4c 4e  conditional_result_f2          cond      1
50 5f  conditional_result_f3          cond      2
68 6b  conditional_result_f1          cond      3
6c 6c  conditional_instruction_f1     cond      2
6d 6d  conditional_instruction_f3     cond      2
6e 6f  conditional_result_f1          cond      2
70 70  ignore                         v4.3      1
71 7f  event                          always    1
80 80  context                        always    1
81 81  context                        always    2
82 83  address_with_context           always    6
85 86  address_with_context           always    10
88 88  timestamp_marker               v4.6      1
90 92  exact_match_address            always    1
95 96  short_address                  always    2
9a 9b  long_address                   always    5
9d 9e  long_address                   always    9
a0 a2  q                              q         2
a5 a6  q                              q         3
aa ab  q                              q         6
ac ac  q                              q         2
af af  q                              q         1
b0 b2  exact_match_source_address     ete       1
b4 b5  short_source_address           ete       2
b6 b7  long_source_address            ete       5
b8 b9  long_source_address            ete       9
c0 ff  atoms                          always    1
`

// Each of the 256 headers is a packet in the configurations of the table, and reserved in
// all others, where the error names the register that would allow it.
func TestHeaders(t *testing.T) {
	known, _ := legalHeaders(t, "always etm ete v8m ete1.3 commits data cond v4.3 v4.6 q")
	for _, tt := range []struct {
		name string
		cfg  Config
		has  string // conditions
	}{
		{"ETMv4.0", Config{Profile: "A", CommOpt: true}, "etm commopt"},
		{"ETMv4.0, commits", Config{Profile: "A"}, "etm commits"},
		{"ETMv4.2", Config{Profile: "A", Minor: 2}, "etm commits"},
		{"ETMv4.3", Config{Profile: "A", Minor: 3}, "etm commits v4.3"},
		{"ETMv4.6", Config{Profile: "A", Minor: 6, CommOpt: true}, "etm commopt v4.3 v4.6"},
		{"v7-M", Config{Profile: "M", Minor: 0}, "etm commits"},
		{"v8-M", Config{Profile: "M", Minor: 2}, "etm commits v8m"},
		{"Q", Config{Profile: "A", QSupp: 1}, "etm commits q"},
		{"conditional", Config{Profile: "R", Cond: 1}, "etm commits cond"},
		{"data addresses", Config{Profile: "R", DataAddress: true}, "etm commits data"},
		{"data values", Config{Profile: "R", DataValue: true}, "etm commits data"},
		{"ETE 1.0", Config{ETE: true, Profile: "A"}, "ete commits v4.3"},
		{"ETE 1.1", Config{ETE: true, Profile: "A", Minor: 1, CommOpt: true}, "ete commopt v4.3 v4.6"},
		{"ETE 1.3", Config{ETE: true, Profile: "A", Minor: 3, CommOpt: true}, "ete ete1.3 commopt v4.3 v4.6"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.cfg.CycleBits, tt.cfg.MaxSpec = 12, 15 // 0d commits 0 + 15 − 15
			names, lengths := legalHeaders(t, "always "+tt.has)
			for h := 1; h < 256; h++ {
				p := sentinel
				err := tt.cfg.Parse(&p, append([]byte{byte(h)}, make([]byte, 16)...))
				if names[h] == "" {
					if syntax, ok := errors.AsType[*decode.SyntaxError](err); !ok || !syntax.Reserved || p != sentinel {
						t.Errorf("%02x: %+v, %v, want a reserved header", h, p, err)
					}
					allowed := known[h] != "" && (h != 0x07 || !tt.cfg.ETE) // of an ETE, by no register
					if allowed != strings.Contains(fmt.Sprint(err), "TRC") {
						t.Errorf("%02x: %v, want the register that allows it: %t", h, err, allowed)
					}
					continue
				}
				want := lengths[h]
				if h == 6 && tt.cfg.ETE {
					want = 3 // PE Reset
				}
				if err != nil || p.Type() != names[h] || p.Len != want {
					t.Errorf("%02x: %s of %d bytes, %v, want %s of %d", h, p.Type(), p.Len, err, names[h], want)
				}
			}
		})
	}
}

// legalHeaders reads the table under conditions.
func legalHeaders(t *testing.T, conditions string) (names [256]string, lengths [256]int) {
	t.Helper()
	has := map[string]bool{}
	for c := range strings.FieldsSeq(conditions) {
		has[c] = true
	}
	for line := range strings.Lines(strings.TrimSpace(headerTable)) {
		f := strings.Fields(line)
		b := unhex(t, f[0]+f[1])
		if !has[f[3]] {
			continue
		}
		for h := int(b[0]); h <= int(b[1]); h++ {
			names[h] = f[2]
			for _, digit := range f[4] {
				lengths[h] = 10*lengths[h] + int(digit-'0')
			}
		}
	}
	return names, lengths
}

// All atom packets.
func TestAtoms(t *testing.T) {
	want := map[int]string{
		0xf6: "N", 0xf7: "E", 0xd8: "NN", 0xd9: "EN", 0xda: "NE", 0xdb: "EE",
		0xf8: "NNN", 0xf9: "ENN", 0xfa: "NEN", 0xfb: "EEN", 0xfc: "NNE", 0xfd: "ENE", 0xfe: "NEE", 0xff: "EEE",
		0xdc: "NEEE", 0xdd: "NNNN", 0xde: "NENE", 0xdf: "ENEN",
		0xd5: "NNNNN", 0xd6: "NENEN", 0xd7: "ENENE", 0xf5: "NEEEE",
	}
	for x := range 21 {
		want[0xc0+x] = strings.Repeat("E", x+4)
		want[0xe0+x] = strings.Repeat("E", x+3) + "N"
	}
	for h := 0xc0; h < 0x100; h++ {
		var p Packet
		if err := plain.Parse(&p, []byte{byte(h)}); err != nil || p.atomString() != want[h] {
			t.Errorf("%02x: %s, %v, want %s", h, p.atomString(), err, want[h])
		}
		if got := plain.Append(nil, p); len(got) != 1 || got[0] != byte(h) {
			t.Errorf("Append of %s = % x, want %02x", want[h], got, h)
		}
	}
}
