package etmv1

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/port"
)

func TestBind(t *testing.T) {
	bind := func(r decodetest.Registers) (*Config, []string, error) {
		p, notes, err := Family().Bind(decode.Source{Registers: r})
		if err != nil {
			return nil, nil, err
		}
		return p.(*Config), notes, nil
	}
	c, notes, err := bind(decodetest.Registers{"ETMCR": 0x902C, "ETMVERSION": 0x12, "COPROC_WORDS": 3, "SWP": 1})
	if err != nil || c.Width != 16 || c.CoprocessorWords != 3 || !c.SwapOnce || c.ContextIDBytes != 2 || !c.CycleAccurate || !c.TracesData() || c.Version() != "1.2" {
		t.Errorf("%+v, %v", c, err)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "unproven") {
		t.Errorf("data on 16 pins is not said to be unproven: %q", notes)
	}
	c, notes, err = bind(decodetest.Registers{"ETMCR": 0x1C, "ETMVERSION": 0x11})
	if err != nil || len(notes) != 0 || !slices.Contains(c.Words(), "LDC and STC of unknown length") {
		t.Errorf("%q, %q, %v", c.Words(), notes, err)
	}
	if _, _, err := bind(decodetest.Registers{"ETMVERSION": 0x20}); err == nil {
		t.Error("an ETMv2 is bound")
	}
	if c.AheadBytes() != 4096 || c.UnitBytes() != port.SampleBytes || c.TimestampCode() != (decode.TimestampCode{}) {
		t.Error("the unit is not a sample")
	}
}

func TestAnswers(t *testing.T) {
	traced := func(c *Config) (all []decode.Question) {
		for _, a := range c.Answers() {
			if a.Traced {
				all = append(all, a.Question)
			} else if (a.Set == "") == (a.Why == "") {
				t.Errorf("%s: to set %q, why not %q", a.Question, a.Set, a.Why)
			}
		}
		return all
	}
	c := config(8)
	if got := traced(c); !slices.Equal(got, []decode.Question{decode.AskConditions}) {
		t.Errorf("%q", got)
	}
	c.ContextIDBytes, c.CycleAccurate, c.DataValue = 1, true, true
	if got := traced(c); !slices.Equal(got, []decode.Question{decode.AskCycles, decode.AskContexts, decode.AskData, decode.AskConditions}) {
		t.Errorf("%q", got)
	}
	c = config(8)
	c.Number = 0x11
	if a := c.Answers()[2]; !strings.Contains(a.Why, "ETMv1.2") {
		t.Errorf("%+v", a)
	}
}

func TestResync(t *testing.T) {
	c := config(8)
	b := records(t, "IE:00 WT:00 BE:80* IE:80 IE:82 WT:80 WT:10 BE:41* IE:00 IE:00 IE:00 TD:00 IE:00 IE:00")
	if n, ok := c.Resync(b); n != 8 || !ok {
		t.Errorf("the first place is %d, %v, want 8", n, ok)
	}
	if n, ok := c.Resync(b[:16]); ok || n != 8 {
		t.Errorf("without one: %d, %v", n, ok)
	}
	if got := c.RateSyncs(b); got != 4 { // a cut, and an offset that agrees
		t.Errorf("rated %d, want 4", got)
	}
}

func TestParsePacket(t *testing.T) {
	c := config(8)
	if _, err := c.ParsePacket(nil); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("no sample: %v", err)
	}
	x, err := c.ParsePacket(records(t, "TR:0c*"))
	if err != nil || x.Type != "tr" || x.Pins != "0c*" || x.JSON() != `{"replaced":"be"}` || x.Len != port.SampleBytes {
		t.Errorf("%+v, %v", x, err)
	}
}

// listed returns the lines of a stream that is listed in pieces.
func listed(t *testing.T, c *Config, b []byte, piece int) []string {
	t.Helper()
	l := c.NewLister()
	var all []string
	for from, to := 0, 0; ; {
		to = min(len(b), max(to, from)+piece)
		n, err := l.List(b[from:to], to == len(b), func(at, units int, x decode.PacketText) error {
			for i, f := range x.Fields {
				if place, ok := f.Value.(decode.UnitIndex); ok {
					x.Fields[i].Value = fmt.Sprint(int(place) + from/port.SampleBytes)
				}
			}
			all = append(all, fmt.Sprintf("%d %d %s:%s %s %x", (at+from)/port.SampleBytes, units, x.Type, x.Pins, x.JSON(), x.Owed))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		from += n
		if to == len(b) {
			return all
		}
	}
}

func TestLister(t *testing.T) {
	c := config(8)
	c.ContextIDBytes = 1
	b := records(t, "BE:00 IE:80* IE:80 TD:00 TD:00 WT:82 WT:80 WT:10 TR:00 WT:34 BE:41* BE:42* TR:00 IE:00 BE:00 TD:00")
	want := []string{
		`0 1 be:00 {"at":"1","apo":0,"reason":"trace_on","address":"0x00008000","isa":"a32","context_id":52} 808082801034`,
		`1 1 ie:80* {"address_packet_offset":true} `,
		`2 1 ie:80 {"address_packet_offset":true} `,
		`3 2 td:00 {} `,
		`5 1 wt:82 {} `,
		`6 1 wt:80 {} `,
		`7 1 wt:10 {} `,
		`8 1 tr:00 {"replaced":"ie"} `,
		`9 1 wt:34 {} `,
		`10 1 be:41* {"at":"10","fate":"abandoned"} 41`,
		`11 1 be:42* {"at":"11","apo":0,"address_low":"0x42","address_bits":7} 42`,
		`12 1 tr:00 {"replaced":"ie","address_packet_offset":true} `,
		`13 1 ie:00 {"address_packet_offset":true} `,
		`14 1 be:00 {"fate":"bad"} `,
		`15 1 td:00 {"address_packet_offset":true} `,
	}
	for _, piece := range []int{4, 12, 4096} {
		got := listed(t, c, b, piece)
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				t.Errorf("in pieces of %d bytes: %q\nwant %q", piece, got, want)
				break
			}
		}
	}
}

// The rows of `packets`: a sample each, with the bytes that its status owes.
func TestPacketRows(t *testing.T) {
	c := config(8)
	c.DataAddress, c.DataValue = true, true
	b := records(t, "BE:90* IE:80 IE:82 WT:80 WT:10 TD:00 ID:90 WT:80 WT:80 WT:80 WT:04 WT:34 WT:12 WT:00 WT:00 TD:01")
	d := decodeParts(t, c, program(), b, 3, true)
	var got []string
	for i := range d.result.Packets {
		p := &d.result.Packets[i]
		got = append(got, fmt.Sprintf("%d %d %s %x %s", p.Seq, p.Offset, p.Type, p.Bytes, p.Fields))
	}
	if len(got) != 15 || got[0] != `0 0 be 9080828010 {"apo":0,"reason":"trace_on","address":"0x00008010","isa":"a32"}` ||
		got[1] != `0 1 ie  {"address_packet_offset":true}` || got[14] != `1 15 td  {}` ||
		got[5] != `0 6 id 908080800434120000 {"data_address_low":"0x40000010","data_address_bits":32,"value":"0x1234"}` {
		t.Errorf("%q", got)
	}
}

// Data never changes which address a branch gets: with other instructions in place of
// the loads and stores, the same instructions stand at the same samples.
func TestDataOfOtherInstructions(t *testing.T) {
	const code, base = 8, 0x9000
	opcodes := []uint32{0xe5912000, 0xe8bd800f, 0xe1d120b0, 0xe5c12000, 0xe1020091, 0xe1c120d0, 0xee010f10, 0xed910102, 0xe1a00000}
	memory := func(turn int) *image.Memory {
		var b []byte
		for i := range code {
			w := opcodes[(i+turn)%len(opcodes)]
			if w == 0xe8bd800f { // stays no branch
				w = 0xe8bd000f
			}
			b = decode.AppendLittleEndian(b, w, 4)
		}
		b = decode.AppendLittleEndian(b, 0xe12fff1e, 4) // bx lr
		return image.New(image.Order([]image.Region{{Address: base, Bytes: b}})...)
	}
	full := "BE:80* IE:a0 IE:82 WT:80 WT:10 "
	body := strings.Repeat("ID:81 WT:92 WT:03 WT:74 ID:15 IE:86 WT:97 TD:00 ID:12 WT:34 IN:22 WT:11 ID:01 TR:01 WT:55 ID:66 ", 1)
	text := full + strings.Repeat(body+"BE:80* IE:20 IE:00 ", 3) + full + body
	for _, width := range []port.Width{4, 8, 16} {
		c := config(width)
		c.DataAddress, c.DataValue, c.MonitorCPRT = true, true, true
		b := records(t, text)
		want := decodeParts(t, c, memory(0), b, 1<<20, false).instructions
		if width == 8 && len(want) < 20 {
			t.Fatalf("%d instructions", len(want))
		}
		for turn := 1; turn < len(opcodes); turn++ {
			if got := decodeParts(t, c, memory(turn), b, 1<<20, false).instructions; !slices.Equal(got, want) {
				t.Errorf("%d pins, turn %d: %q\nwant %q", width, turn, got, want)
			}
		}
	}
}

// The samples of every scenario are decoded or lost, once, with rows of `packets` too.
func TestScenarioParts(t *testing.T) {
	all, err := decodetest.ReadAll("testdata/scenario", Family())
	if err != nil || len(all) == 0 {
		t.Fatal(len(all), err)
	}
	for _, s := range all {
		p, _, err := Bind(decode.Source{Registers: s.Registers})
		if err != nil {
			t.Fatal(err)
		}
		c, b := p.(*Config), s.Stream()
		cuts := cutsOf(c, b, len(b))
		if len(cuts) == 0 {
			continue
		}
		want := int64(len(b)-cuts[0].At) / port.SampleBytes
		rows := decodeParts(t, c, s.Memory(), b, 1<<20, false).instructions
		for _, samples := range []int{1, 7, 1 << 20} {
			got := decodeParts(t, c, s.Memory(), b, samples, true)
			if got.samples != want || !slices.Equal(got.instructions, rows) {
				t.Errorf("%s in parts of %d samples: %d samples, want %d; %q, want %q", s.Name, samples, got.samples, want, got.instructions, rows)
			}
		}
	}
}

// A break of the input loses all up to the next cut.
func TestBreak(t *testing.T) {
	c := config(8)
	b := records(t, start+"IE:00 IE:00 IE:00 IE:00")
	ps := parts(c, b, 5)
	ps[1].Break = decode.Broken
	d := c.NewDecoder(program(), decode.Wanted{})
	r := &decode.Result{}
	for _, p := range ps {
		d.Decode(r, p)
	}
	if len(r.Losses) != 1 || r.Losses[0].Bytes != 4 || len(r.Segments) != 2 || !r.Segments[1].End.Broken {
		t.Errorf("losses %+v, segments %+v", r.Losses, r.Segments)
	}
}
