package etmv4

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/async"
)

// Configurations of the tests.
var (
	plain    = Config{Profile: "A", ContextIDBytes: 4, VMIDBytes: 4, CommOpt: true, CycleBits: 12}
	vmid1    = Config{Profile: "A", ContextIDBytes: 4, VMIDBytes: 1, CommOpt: true, CycleBits: 12}
	counting = Config{Profile: "A", ContextIDBytes: 4, VMIDBytes: 4, CycleBits: 12, MaxSpec: 0x78}
	micro    = Config{Profile: "M", Minor: 5, CommOpt: true, CycleBits: 12}
	ete10    = Config{ETE: true, Profile: "A", ContextIDBytes: 4, VMIDBytes: 4, CommOpt: true, CycleBits: 12}
	ete11    = Config{ETE: true, Minor: 1, Profile: "A", ContextIDBytes: 4, VMIDBytes: 4, CommOpt: true, CycleBits: 12}
	ete13    = Config{ETE: true, Minor: 3, Profile: "A", ContextIDBytes: 4, VMIDBytes: 4, CommOpt: true, CycleBits: 12}
	withQs   = Config{Profile: "A", CommOpt: true, CycleBits: 12, QSupp: 3}
	spec255  = Config{ETE: true, Profile: "A", ContextIDBytes: 4, VMIDBytes: 4, CommOpt: true, CycleBits: 12, MaxSpec: 0xff}
	condAll  = Config{Profile: "A", CommOpt: true, CycleBits: 12, Cond: 7}
)

// unhex turns "08 00100000 21" into bytes.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A vector is a packet alone. Its number is that of a list of vectors made from the
// architecture, from captures and from models; several packets may share one.
type vector struct {
	number int
	cfg    *Config
	before State
	bytes  string
	text   string // name and fields
	told   string // with what came before: address, timestamp or cycles
}

// history is a state with those addresses, the newest first.
func history(a ...uint64) (s State) {
	for i := range a {
		s.History[i].Address = a[i]
	}
	return s
}

const asyncBytes = "0000000000000000000000 80"

var vectors = []vector{
	{1, &plain, State{}, asyncBytes, `a_sync {}`, ``},
	{2, &micro, State{}, "01 00", `trace_info {"info":"0x0","cycle_counting":false}`, ``},
	{3, &plain, State{}, "01 01 00", `trace_info {"info":"0x0","cycle_counting":false}`, ``},
	{4, &ete10, State{}, "01 09 01 16", `trace_info {"info":"0x1","cycle_counting":true,"cycle_threshold":22}`, ``},
	{5, &ete10, State{}, "01 01 10", `trace_info {"info":"0x10","cycle_counting":false}`, ``},
	{6, &plain, State{}, "01 8d 00 01 02 85 01", `trace_info {"info":"0x1","cycle_counting":true,"speculative":2,"cycle_threshold":133}`, ``},
	{7, &plain, State{}, "00 03", `discard {}`, ``},
	{7, &plain, State{}, "00 05", `overflow {}`, ``},
	{8, &ete10, State{}, "82 21 0a 0c 00 11", `address_with_context {"address_low":"0xc1484","address_bits":32,"is":0,"security":"secure","el":1,"sf":true}`, `c1484 IS0`},
	{9, &ete10, State{}, "82 04 00 05 00 39", `address_with_context {"address_low":"0x50010","address_bits":32,"is":0,"security":"realm","el":1,"sf":true}`, `50010 IS0`},
	{10, &ete10, State{}, "81 3a", `context {"security":"realm","el":2,"sf":true}`, ``},
	{10, &ete10, State{}, "81 30", `context {"security":"non_secure","el":0,"sf":true}`, ``},
	{10, &ete10, State{}, "81 00", `context {"security":"secure","el":0,"sf":false}`, ``},
	{11, &vmid1, State{}, "85 00 1a 08 00 c0 ff ff ff f1 00 00 00 00 00", `address_with_context {"address":"0xffffffc000083400","is":0,"security":"non_secure","el":1,"sf":true,"vmid":0,"context_id":0}`, `ffffffc000083400 IS0`},
	{12, &ete10, State{}, "82 6e 08 0a 00 f1 00 00 00 00 00 43 00 00", `address_with_context {"address_low":"0xa11b8","address_bits":32,"is":0,"security":"non_secure","el":1,"sf":true,"vmid":0,"context_id":17152}`, `a11b8 IS0`},
	{13, &plain, State{}, "81 93 00 00 00 00", `context {"security":"secure","el":3,"sf":true,"context_id":0}`, ``},
	{14, &plain, State{}, "95 af 17", `short_address {"address_low":"0x2ebc","address_bits":17,"is":0}`, `2ebc IS0`},
	{15, &plain, history(0x69538), "95 b0 4f", `short_address {"address_low":"0x9ec0","address_bits":17,"is":0}`, `69ec0 IS0`},
	{16, &plain, history(0x63d28), "95 4b", `short_address {"address_low":"0x12c","address_bits":9,"is":0}`, `63d2c IS0`},
	{17, &plain, history(0xffffffc000083400), "9a 1c 4f 10 00", `long_address {"address_low":"0x109e70","address_bits":32,"is":0}`, `ffffffc000109e70 IS0`},
	{18, &plain, State{}, "9d 12 5a fe ff 00 00 00 00", `long_address {"address":"0x00000000fffeb448","is":0}`, `fffeb448 IS0`},
	{19, &plain, history(0xc37f4, 0xc3d28, 0x1000), "91", `exact_match_address {"entry":1}`, `c3d28 IS0`},
	{20, &micro, history(0x4f9a02), "96 81 9a", `short_address {"address_low":"0x9a02","address_bits":16,"is":1}`, `4f9a02 IS1`},
	{21, &micro, State{}, "83 01 9a 4f 00 00", `address_with_context {"address_low":"0x4f9a02","address_bits":32,"is":1,"security":"secure","el":0,"sf":false}`, `4f9a02 IS1`},
	{22, &plain, State{}, "9e 01 02 03 04 05 06 07 08", `long_address {"address":"0x0807060504030202","is":1}`, `807060504030202 IS1`},
	{23, &ete10, history(0x1b0f8), "b4 48", `short_source_address {"address_low":"0x120","address_bits":9,"is":0}`, `1b120 IS0`},
	{23, &ete10, State{}, "b6 31 03 06 00", `long_source_address {"address_low":"0x606c4","address_bits":32,"is":0}`, `606c4 IS0`},
	{24, &ete10, history(0x1a8688), "b5 7c", `short_source_address {"address_low":"0xf8","address_bits":8,"is":1}`, `1a86f8 IS1`},
	{25, &plain, State{Threshold: 0x16}, "0f", `cycle_count_f1 {}`, ``},
	{25, &plain, State{Threshold: 0x16}, "0e 1e", `cycle_count_f1 {"cycles":30}`, `52`},
	{25, &plain, State{Threshold: 0x16}, "0d f5", `cycle_count_f2 {"cycles":5}`, `27`},
	{25, &plain, State{Threshold: 0x16}, "11", `cycle_count_f3 {"cycles":1}`, `23`},
	{26, &plain, State{Threshold: 0x16}, "0e 88 01", `cycle_count_f1 {"cycles":136}`, `158`},
	{27, &counting, State{Threshold: 0x16}, "0f 01", `cycle_count_f1 {"commits":1}`, ``},
	{27, &counting, State{Threshold: 0x16}, "0c 96", `cycle_count_f2 {"commits":10,"cycles":6}`, `28`},
	{27, &counting, State{Threshold: 0x16}, "1b", `cycle_count_f3 {"commits":3,"cycles":3}`, `25`},
	{27, &counting, State{Threshold: 0x16}, "1d", `cycle_count_f3 {"commits":4,"cycles":1}`, `23`},
	{28, &counting, State{Threshold: 0x16}, "0d 21", `cycle_count_f2 {"commits":107,"cycles":1}`, `23`},
	{28, &counting, State{Threshold: 0x16}, "0e 05 03", `cycle_count_f1 {"commits":5,"cycles":3}`, `25`},
	{29, &plain, State{}, "02 c0 a1 c5 97 80 80 00", `timestamp {"timestamp":"0x2f150c0","timestamp_bits":49}`, `0x2f150c0`},
	{30, &plain, State{}, "02 92 cb 81 80 ff ff ff ff ff", `timestamp {"timestamp":"0xfffffffff0006592","timestamp_bits":64}`, `0xfffffffff0006592`},
	{31, &plain, State{Timestamp: 0x2f150c0}, "02 c1 21", `timestamp {"timestamp":"0x10c1","timestamp_bits":14}`, `0x2f150c1`},
	{31, &plain, State{Timestamp: 0x2f150c0}, "03 05 07", `timestamp {"timestamp":"0x5","timestamp_bits":7,"cycles":7}`, `0x2f15085`},
	{32, &ete11, State{}, "88", `timestamp_marker {}`, ``},
	{32, &ete11, State{}, "02 d7 df 01", `timestamp {"timestamp":"0x6fd7","timestamp_bits":21}`, `0x6fd7`},
	{33, &ete13, State{}, "09 01 ff ff 0f 00 00 00 00 00", `instrumentation {"el":1,"value":"0xfffff"}`, ``},
	{34, &plain, State{}, "71", `event {"event0":true}`, ``},
	{34, &plain, State{}, "7c", `event {"event2":true,"event3":true}`, ``},
	{35, &withQs, State{}, "aa 34 3f 06 00 03", `q {"address_low":"0x67ed0","address_bits":32,"is":0,"instructions":3}`, `67ed0 IS0`},
	{35, &withQs, history(0x63824), "a5 0c 03", `q {"address_low":"0x30","address_bits":9,"is":0,"instructions":3}`, `63830 IS0`},
	{36, &withQs, history(1<<12, 2<<12, 3<<12), "a1 05", `q {"entry":1,"instructions":5}`, `2000 IS0`},
	{36, &withQs, State{}, "ac 05", `q {"instructions":5}`, ``},
	{36, &withQs, State{}, "af", `q {}`, ``},
	{37, &spec255, State{}, "2d 04", `commit {"elements":4}`, ``},
	{37, &spec255, State{}, "2e 04", `cancel_f1 {"elements":4}`, ``},
	{37, &spec255, State{}, "30", `mispredict {}`, ``},
	{37, &spec255, State{}, "34", `cancel_f2 {"elements":1,"mispredict":true}`, ``},
	{37, &spec255, State{}, "36", `cancel_f2 {"elements":1,"atoms":"EE","mispredict":true}`, ``},
	{38, &spec255, State{}, "2f 85 01", `cancel_f1 {"elements":133,"mispredict":true}`, ``},
	{38, &spec255, State{}, "31", `mispredict {"atoms":"E"}`, ``},
	{38, &spec255, State{}, "3d", `cancel_f3 {"elements":4,"atoms":"E","mispredict":true}`, ``},
	{39, &plain, State{}, "06 05", `exception {"exception":2,"address_follows":"return"}`, ``},
	{39, &plain, State{}, "06 1d", `exception {"exception":14,"address_follows":"return"}`, ``},
	{39, &plain, State{}, "06 03", `exception {"exception":1,"address_follows":"return"}`, ``},
	{39, &plain, State{}, "06 58", `exception {"exception":12,"address_follows":"return_and_target"}`, ``},
	{40, &micro, State{}, "06 1f", `exception {"exception":15,"address_follows":"return"}`, ``},
	{40, &micro, State{}, "06 07", `exception {"exception":3,"address_follows":"return"}`, ``},
	{40, &micro, State{}, "06 21", `exception {"exception":16,"address_follows":"return"}`, ``},
	{40, &micro, State{}, "06 91 10", `exception {"exception":520,"address_follows":"return"}`, ``},
	{40, &micro, State{}, "06 87 20", `exception {"exception":3,"address_follows":"return","fault_pending":true}`, ``},
	{41, &ete10, State{}, "06 31 70", `exception {"exception":24}`, ``},
	{41, &ete10, State{}, "0a", `transaction_start {}`, ``},
	{41, &ete10, State{}, "0b", `transaction_commit {}`, ``},
	{42, &plain, State{}, "d4", `atoms {"atoms":"EEEEEEEEEEEEEEEEEEEEEEEE"}`, ``},
	{42, &plain, State{}, "e0", `atoms {"atoms":"EEEN"}`, ``},
	{42, &plain, State{}, "f5", `atoms {"atoms":"NEEEE"}`, ``},
	{42, &plain, State{}, "d6", `atoms {"atoms":"NENEN"}`, ``},
	{42, &plain, State{}, "dc", `atoms {"atoms":"NEEE"}`, ``},
	{42, &plain, State{}, "de", `atoms {"atoms":"NENE"}`, ``},
	{42, &plain, State{}, "da", `atoms {"atoms":"NE"}`, ``},
	{42, &plain, State{}, "fc", `atoms {"atoms":"NNE"}`, ``},
	{42, &plain, State{}, "f6", `atoms {"atoms":"N"}`, ``},
	{43, &condAll, State{}, "40", `conditional_instruction_f2 {"elements":1,"same_key":false}`, ``},
	{43, &condAll, State{}, "42", `conditional_instruction_f2 {"elements":2,"same_key":false}`, ``},
	{43, &condAll, State{}, "6d 07", `conditional_instruction_f3 {"elements":4,"same_key":true}`, ``},
	{43, &condAll, State{}, "6c 85 01", `conditional_instruction_f1 {"key":133}`, ``},
	{43, &condAll, State{}, "43", `conditional_flush {}`, ``},
	{43, &condAll, State{}, "49", `conditional_result_f2 {"key_step":1,"token":1}`, ``},
	{43, &condAll, State{}, "4e", `conditional_result_f2 {"key_step":2,"token":2}`, ``},
	{43, &condAll, State{}, "53 1b", `conditional_result_f3 {"tokens":"0x31b"}`, ``},
	{43, &condAll, State{}, "45", `conditional_result_f4 {"token":1}`, ``},
	{43, &condAll, State{}, "6e 51", `conditional_result_f1 {"key0":5,"result0":1,"ci0":false}`, ``},
	{43, &condAll, State{}, "69 51 b2 03", `conditional_result_f1 {"key0":5,"result0":1,"ci0":true,"key1":27,"result1":2,"ci1":false}`, ``},
}

func TestVectors(t *testing.T) {
	for i := range vectors {
		tt := &vectors[i]
		t.Run(fmt.Sprintf("%d/%s", tt.number, tt.bytes), func(t *testing.T) {
			b := unhex(t, tt.bytes)
			var p Packet
			if err := tt.cfg.Parse(&p, append(b, 0xff, 0x80, 0)); err != nil || p.Len != len(b) {
				t.Fatalf("%+v, %v, want %d bytes", p, err, len(b))
			}
			text, err := tt.cfg.ParsePacket(b)
			if got := text.Type + " " + text.JSON(); err != nil || got != tt.text || text.Len != len(b) {
				t.Errorf("%s, %d bytes, %v\nwant %s", got, text.Len, err, tt.text)
			}
			if got := tt.cfg.Append(nil, p); !bytes.Equal(got, b) {
				t.Errorf("Append = % x", got)
			}
			if got := told(tt.cfg, &p, tt.before); got != tt.told {
				t.Errorf("told %q, want %q", got, tt.told)
			}
			checkPrefixes(t, tt.cfg, b)
		})
	}
}

// told says what a packet tells with the state before it.
func told(c *Config, p *Packet, s State) string {
	before := s
	s.Apply(c, p)
	switch {
	case p.Form != NoAddress:
		if s.History[1] != before.History[0] || s.History[2] != before.History[1] {
			return fmt.Sprintf("history %+v after %+v", s.History, before.History)
		}
		return fmt.Sprintf("%x IS%d", s.History[0].Address, decode.Flag(s.History[0].IS1, 1))
	case p.Kind == Timestamp:
		return fmt.Sprintf("0x%x", s.Timestamp)
	case p.HasCycles:
		return strconv.FormatUint(s.Cycles(p), 10)
	default:
		return ""
	}
}

// sentinel is what a failed Parse has to leave.
var sentinel = Packet{Kind: Q, Len: -1}

// checkPrefixes checks that less than the packet b is cut off, and leaves the packet
// unchanged.
func checkPrefixes(t *testing.T, c *Config, b []byte) {
	t.Helper()
	for n := range b {
		p := sentinel
		if err := c.Parse(&p, b[:n]); !errors.Is(err, io.ErrUnexpectedEOF) || p != sentinel {
			t.Errorf("the first %d bytes: %v, %+v, want %v", n, err, p, io.ErrUnexpectedEOF)
		}
	}
}

// Reading packets takes no memory.
func TestParseAllocates(t *testing.T) {
	var p Packet
	var s State
	for i := range vectors {
		tt := &vectors[i]
		b := unhex(t, tt.bytes)
		if n := testing.AllocsPerRun(10, func() {
			if err := tt.cfg.Parse(&p, b); err != nil {
				t.Fatal(err)
			}
			s.Apply(tt.cfg, &p)
		}); n > 0 {
			t.Errorf("%s: %v allocations", tt.bytes, n)
		}
	}
}

// Bytes that are no packet. Where a register would allow them, the error names it.
func TestSyntaxErrors(t *testing.T) {
	etm42 := plain
	etm42.Minor = 2
	zeros := func(n int) string { return strings.Repeat("00", n) }
	for _, tt := range []struct {
		number   int // of the vector; 0: of none
		cfg      *Config
		bytes    string
		reserved bool
		want     string // in the error
	}{
		{44, &plain, "40", true, "TRCCONFIGR[10:8]"},
		{45, &plain, "a5", true, "TRCIDR0[16:15]"},
		{45, &ete10, "09", true, "TRCDEVARCH"},
		{45, &etm42, "70", true, "TRCIDR1"},
		{45, &plain, "b4", true, "TRCIDR1"},
		{45, &ete10, "07", true, "an ETE has no packet of that header"},
		{46, &plain, "00 01", true, "second byte"},
		{46, &plain, "08", true, "no version"},
		{46, &plain, "47", true, "no version"},
		{46, &plain, "8f", true, "no version"},
		{46, &withQs, "a3", true, "no version"},
		{46, &ete13, "bf", true, "no version"},

		{0, &plain, "05", true, "TRCIDR1 and the type of the core"},
		{0, &plain, "0a", true, "TRCIDR1"},
		{0, &plain, "20", true, "TRCCONFIGR[17:16]"},
		{0, &etm42, "88", true, "TRCIDR1"},
		{0, &ete10, "88", true, "TRCDEVARCH"},
		{0, &plain, zeros(10) + "80", false, "fewer than eleven zeros"},
		{0, &plain, zeros(11) + "81", false, "does not end in 80"},
		{0, &plain, zeros(async.MaxZeros + 1), false, "more zeros than any hardware sends"},
		{0, &plain, "01 80 80 80 80 00", false, "more than four control bytes"},
		{0, &plain, "01 01 80 80 80 80 80 00", false, "does not end in its last byte"},
		{0, &plain, "0e 80 80 80 00", false, "does not end in its last byte"},
		{0, &plain, "03 01 80 80 80 00", false, "does not end in its last byte"},
		{0, &counting, "0e ff ff ff ff ff 01", false, "does not end in its last byte"},
		{0, &plain, "2d ff ff ff ff ff", false, "does not end in its last byte"},
		{0, &withQs, "ac ff ff ff ff ff", false, "does not end in its last byte"},
		{0, &condAll, "6e 80 80 80 80 80 80", false, "does not end in its last byte"},
		{0, &Config{CycleBits: 12, MaxSpec: 3}, "0d b0", false, "cannot be"}, // 11 + 3 − 15
	} {
		p := sentinel
		err := tt.cfg.Parse(&p, unhex(t, tt.bytes))
		syntax, ok := errors.AsType[*decode.SyntaxError](err)
		if !ok || syntax.Protocol != map[bool]string{false: "etmv4", true: "ete"}[tt.cfg.ETE] || syntax.Reserved != tt.reserved ||
			!strings.Contains(syntax.Reason, tt.want) || p != sentinel {
			t.Errorf("vector %d, %.20s: %v, %+v, want %q", tt.number, tt.bytes, err, p, tt.want)
		}
	}
}

// Packets that the vectors do not have, and forms that Append shortens or lengthens.
func TestForms(t *testing.T) {
	v8m, v7m, marked, data := micro, micro, plain, plain
	v7m.Minor, marked.Minor, data.DataValue = 0, 6, true
	wide := plain
	wide.CycleBits = 20
	for _, tt := range []struct {
		cfg   *Config
		bytes string
		text  string
	}{
		{&plain, strings.Repeat("00", 14) + "80", `a_sync {}`},
		{&plain, "04", `trace_on {}`},
		{&v8m, "05", `function_return {}`},
		{&v7m, "07", `exception_return {}`},
		{&plain, "01 1f 7f 05 02 03 04", `trace_info {"info":"0x7f","cycle_counting":true,"cond":7,"loads_p0":true,"stores_p0":true,"p0_key":5,"speculative":2,"cycle_threshold":3,"window":4}`},
		{&ete10, "01 01 40", `trace_info {"info":"0x40","cycle_counting":false,"transaction":true}`},
		{&plain, "01 81 80 80 00 81 80 80 80 00", `trace_info {"info":"0x1","cycle_counting":true}`},
		{&data, "25", `numbered_data_sync_marker {"number":5}`},
		{&data, "2c", `unnumbered_data_sync_marker {"number":4}`},
		{&plain, "2d ff ff ff ff 0f", `commit {"elements":4294967295}`},
		{&plain, "2d 81 80 00", `commit {"elements":1}`},
		{&spec255, "33", `mispredict {"atoms":"N"}`},
		{&spec255, "37", `cancel_f2 {"elements":1,"atoms":"N","mispredict":true}`},
		{&spec255, "38", `cancel_f3 {"elements":2,"mispredict":true}`},
		{&spec255, "3e", `cancel_f3 {"elements":5,"mispredict":true}`},
		{&condAll, "41", `conditional_instruction_f2 {"elements":1,"same_key":true}`},
		{&condAll, "46", `conditional_result_f4 {"token":2}`},
		{&condAll, "6f ff ff ff ff ff 7f", `conditional_result_f1 {"key0":274877906943,"result0":15,"ci0":true}`},
		{&condAll, "6b 00 80 00", `conditional_result_f1 {"key0":0,"result0":0,"ci0":true,"key1":0,"result1":0,"ci1":true}`},
		{&ete10, "70", `ignore {}`},
		{&marked, "88", `timestamp_marker {}`},
		{&plain, "80", `context {}`},
		{&plain, "81 40 11 22 33 44", `context {"security":"secure","el":0,"sf":false,"vmid":1144201745}`},
		{&plain, "81 08", `context {"security":"root","el":0,"sf":false}`},
		{&plain, "86 7f ff ff ff ff ff ff ff 00", `address_with_context {"address":"0xfffffffffffffffe","is":1,"security":"secure","el":0,"sf":false}`},
		{&plain, "9b 01 80 00 00", `long_address {"address_low":"0x8002","address_bits":32,"is":1}`},
		{&plain, "95 ff ff", `short_address {"address_low":"0x1fffc","address_bits":17,"is":0}`},
		{&ete10, "b2", `exact_match_source_address {"entry":2}`},
		{&ete10, "b9 01 00 00 00 00 00 00 80", `long_source_address {"address":"0x8000000000000002","is":1}`},
		{&withQs, "a6 81 01 80 00", `q {"address_low":"0x102","address_bits":16,"is":1,"instructions":0}`},
		{&withQs, "ab 01 00 00 00 01", `q {"address_low":"0x2","address_bits":32,"is":1,"instructions":1}`},
		{&ete10, "06 81 00", `exception {"exception":0}`},
		{&ete10, "06 01 70", `exception {"exception":0}`},
		{&plain, "06 01", `exception {"exception":0,"address_follows":"return"}`},
		{&plain, "06 00", `exception {"exception":0,"address_follows":"none"}`},
		{&plain, "06 61", `exception {"exception":16,"address_follows":"reserved"}`},
		{&plain, "0e ff 1f", `cycle_count_f1 {"cycles":4095}`},
		{&wide, "0e ff ff 3f", `cycle_count_f1 {"cycles":1048575}`},
		{&plain, "03 80 00 81 00", `timestamp {"timestamp":"0x0","timestamp_bits":14,"cycles":1}`},
		{&counting, "0d 0f", `cycle_count_f2 {"commits":105,"cycles":15}`},
	} {
		b := unhex(t, tt.bytes)
		var p Packet
		if err := tt.cfg.Parse(&p, b); err != nil || p.Len != len(b) {
			t.Errorf("%s: %+v, %v", tt.bytes, p, err)
			continue
		}
		if text := tt.cfg.text(&p); text.Type+" "+text.JSON() != tt.text {
			t.Errorf("%s: %s %s\nwant %s", tt.bytes, text.Type, text.JSON(), tt.text)
		}
		if got := tt.cfg.Append(nil, p); !bytes.Equal(got, b) {
			t.Errorf("%s: Append = % x", tt.bytes, got)
		}
		checkPrefixes(t, tt.cfg, b)
	}
}

// Parse ignores bits that Append writes as trace units do.
func TestIgnoredBits(t *testing.T) {
	for _, tt := range []struct {
		cfg        *Config
		read, want string
	}{
		{&plain, "01 e1 7f 01", "01 81 00 01"},
		{&plain, "81 04", "81 00"},
		{&plain, "9a 80 80 00 00", "9a 00 00 00 00"},
		{&plain, "9b 80 80 00 00", "9b 00 80 00 00"},
		{&micro, "06 81 d0", "06 81 10"},
		{&ete10, "06 31 00", "06 31 70"},
		{&plain, "2d ff ff ff ff 7f", "2d ff ff ff ff 0f"},
		{&plain, "0e ff ff 7f", "0e ff 9f 00"},
		{&plain, "0d 05", "0d f5"},
		{&plain, "0c 95", "0c f5"},
		{&plain, "1d", "11"},
		{&ete13, "09 fe 00 00 00 00 00 00 00 00", "09 02 00 00 00 00 00 00 00 00"},
		{&condAll, "6d 87", "6d 07"},
	} {
		var p, again Packet
		err := tt.cfg.Parse(&p, unhex(t, tt.read))
		got := tt.cfg.Append(nil, p)
		if err != nil || !bytes.Equal(got, unhex(t, tt.want)) {
			t.Errorf("%s: %v, Append = % x, want %s", tt.read, err, got, tt.want)
		}
		if err := tt.cfg.Parse(&again, got); err != nil || again != p {
			t.Errorf("%s: %+v, %v, want %+v", tt.want, again, err, p)
		}
	}
}

// Where a number of bytes is left open, Append takes as few as it can.
func TestAppendShortest(t *testing.T) {
	for _, tt := range []struct {
		cfg  *Config
		p    Packet
		want string
	}{
		{&plain, Packet{Kind: ASync}, asyncBytes},
		{&plain, Packet{Kind: TraceInfo, Info: TraceInfoSections{Has: HasInfo | HasThreshold, Info: Field{Value: 1}, Threshold: Field{Value: 0x85}}}, "01 09 01 85 01"},
		{&plain, Packet{Kind: Timestamp, Timestamp: 0x80, HasCycles: true, Cycles: Field{Value: 5}}, "03 80 01 05"},
		{&plain, Packet{Kind: Timestamp, Timestamp: 1<<64 - 1}, "02 ff ff ff ff ff ff ff ff ff"},
		{&plain, Packet{Kind: Commit, Count: Field{Value: 128}}, "2d 80 01"},
		{&plain, Packet{Kind: Commit}, "2d 00"},
		{&condAll, Packet{Kind: ConditionalResult, Format: 1, Conditional: Conditional{ResultCount: 1, Results: [2]Result{{Key: 27, Value: 2}}}}, "6e b2 03"},
	} {
		if got := tt.cfg.Append(nil, tt.p); !bytes.Equal(got, unhex(t, tt.want)) {
			t.Errorf("%+v: % x, want %s", tt.p, got, tt.want)
		}
	}
}

// Append of what no packet has panics, rather than writing another packet.
func TestAppendNothing(t *testing.T) {
	for _, p := range []Packet{
		{},
		{Kind: Atoms, Atoms: 0b01101, AtomCount: 5}, // no packet has ENEEN
		{Kind: Mispredict, Atoms: 0b10, AtomCount: 2},
		{Kind: Address},
		{Kind: AddressContext, Form: ShortAddress},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Append of %+v did not panic", p)
				}
			}()
			plain.Append(nil, p)
		}()
	}
}
