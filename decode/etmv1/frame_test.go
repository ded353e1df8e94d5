package etmv1

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/port"
)

// config is that of a port of so many pins.
func config(w port.Width) *Config {
	return &Config{Config: port.Config{Number: 0x12, Width: w}}
}

// records returns the records of samples as people write them.
func records(t testing.TB, text string) []byte {
	t.Helper()
	samples, err := port.ParseSamples(text, StatusNames)
	if err != nil {
		t.Fatal(err)
	}
	return port.Records(samples)
}

// branches returns what the first pass says of each branch, in words.
func branches(c *Config, b []byte, piece int64) []string {
	f := newFramer(c)
	var all []string
	n := int64(len(b) / port.SampleBytes)
	take := func() {
		for x := f.settled(); x != nil; x = f.settled() {
			all = append(all, words(x))
		}
	}
	for f.next < n {
		f.scan(b, 0, min(f.next+piece, n))
		take()
	}
	f.end()
	take()
	return all
}

// words says what became of a branch.
func words(x *branch) string {
	s := fmt.Sprintf("%d %s", x.at, fateNames[x.fate])
	if x.fate == live {
		s += fmt.Sprintf(" %x", x.address.target)
	}
	if x.extra {
		s += " extra"
	}
	return s
}

const start = "BE:80* IE:80 IE:82 IE:80 IE:10 "

// What becomes of branches (docs/etmv2.md §4.3). A start is at sample 0, with five
// bytes up to sample 4.
func TestPairing(t *testing.T) {
	for _, tt := range []struct {
		name, samples string
		want          []string
	}{
		{"as it should be", start + "BE:41* IE:00 IE:00 TD:00", []string{"0 live 8000", "5 live 8041"}},
		{"abandoned in its first sample", start + "BE:41* BE:42* IE:00 IE:00 TD:00",
			[]string{"0 live 8000", "5 abandoned", "6 live 8042"}},
		{"abandoned in its second sample", start + "BE:41* IE:00 BE:42* IE:00 IE:00 TD:00",
			[]string{"0 live 8000", "5 abandoned", "7 live 8042"}},
		{"a branch that a trigger replaced", start + "TR:04 IE:41* IE:00 TR:04 IE:42* IE:00 TD:00",
			[]string{"0 live 8000", "5 live 8041", "8 live 8042"}},
		{"an overflow took an address", start + "BE:00 IE:00 IE:00 TD:00 BE:c1* IE:80 IE:82 WT:80 WT:20 TD:00",
			[]string{"0 live 8000", "5 lost", "9 live 8041"}},
		{
			"an overflow took an address, and the restart is abandoned",
			start + "BE:00 IE:00 IE:00 TD:00 BE:c1* IE:80 BE:82 IE:80 IE:20 WT:80* WT:80 WT:82 WT:80 WT:20 TD:00",
			[]string{"0 live 8000", "5 lost", "9 abandoned", "11 live 8000"},
		},
		{"cut short by the next address", start + "BE:c1* IE:80 IE:82 BE:80* IE:80 IE:82 WT:80 WT:20 TD:00",
			[]string{"0 live 8000", "5 lost", "8 live 8000"}},
		{"addresses that no branch claims", start + "BE:41* IE:00 IE:00 IE:42* BE:43* ID:44* IE:00 TD:00",
			[]string{"0 live 8000", "5 live 8041", "9 live 8044 extra"}},
		{"fifteen: too many", start + "BE:41* WT:00 WT:00 IE:00 TD:00", []string{"0 live 8000", "5 live 8041"}},
		{"before the first that can be paired", "BE:80* BE:80* WT:80 WT:80 WT:10 BE:c1* IE:80 IE:82 WT:80 WT:10 TD:00",
			[]string{"0 unsure", "1 unsure", "5 live 8041"}},
		{"TD in its window", start + "BE:41* TD:00 IE:00 IE:00 TD:00", []string{"0 live 8000", "5 bad"}},
		{"TR of TR in its window", start + "BE:41* IE:00 TR:06 IE:00 TD:00", []string{"0 live 8000", "5 bad"}},
		{"the stream ends in its window", start + "BE:41* IE:00", []string{"0 live 8000", "5 truncated"}},
		{"the stream ends before its address", start + "BE:00 IE:00 IE:00 WT:00", []string{"0 live 8000", "5 truncated"}},
		{"the stream ends in its address", start + "BE:81* IE:80 IE:02", []string{"0 live 8000", "5 live 8001"}},
		{"the stream ends in five bytes", start + "BE:81* IE:80 IE:80", []string{"0 live 8000", "5 truncated"}},
		{"no address within reach", start + "BE:00 IE:00 IE:00 " + strings.Repeat("IE:00 ", 1100),
			[]string{"0 live 8000", "5 late"}},
		{"TRACESYNC in TR and TD", start + "TD:00* TR:00* BE:41* IE:00 IE:00 TD:00", []string{"0 live 8000", "7 live 8041"}},
		{"short, and nothing before", "BE:41* IE:00 IE:00 TD:00", []string{"0 lost"}},
	} {
		b := records(t, tt.samples)
		for _, piece := range []int64{1, 3, 4096} {
			if got := branches(config(8), b, piece); !slices.Equal(got, tt.want) {
				t.Errorf("%s: %q, want %q, in pieces of %d", tt.name, got, tt.want, piece)
			}
		}
	}
}

// Addresses on the pins of each width, with their Context ID (docs/etmv2.md §4.2).
func TestAddressesOnPins(t *testing.T) {
	for _, tt := range []struct {
		width   port.Width
		samples string
	}{
		{4, "BE:0* IE:8 TD:0 IE:0 IE:8 WT:2 WT:8 TR:3 WT:0 WT:8 WT:0 TD:0 WT:4 WT:4 WT:3 WT:2 WT:1 TD:0"},
		{8, "BE:80* IE:80 IE:82 WT:80 TD:00 WT:40 TR:00 WT:34 WT:12 TD:00"},
		{16, "BE:8080* IE:8082 IE:3440 WT:ff12 TD:0000"},
	} {
		c := config(tt.width)
		c.ContextIDBytes = 2
		f := newFramer(c)
		b := records(t, tt.samples)
		f.scan(b, 0, int64(len(b)/port.SampleBytes))
		f.end()
		x := f.settled()
		if tt.width == 4 { // TD stands in its window
			if x == nil || x.fate != bad {
				t.Errorf("4 pins: %+v", x)
			}
			a := f.find(0)
			if a == nil || a.target != 0x8000 || a.contextID != 0x1234 {
				t.Errorf("4 pins: %+v", a)
			}
			continue
		}
		if x == nil || x.fate != live || x.address.target != 0x8000 || x.address.contextID != 0x1234 ||
			x.address.Reason != Periodic {
			t.Errorf("%d pins: %+v", tt.width, x)
		}
		if half := tt.width == 16; x.address.half != half {
			t.Errorf("%d pins: the upper half is free: %v", tt.width, x.address.half)
		}
	}
}

// A wrong offset, a TRACESYNC lost and one added: what is lost is bounded, and all is
// right again from the next full address on.
func TestPairingDamage(t *testing.T) {
	full := "BE:80* IE:80 IE:82 WT:80 WT:10 "
	text := full + "BE:41* IE:00 IE:00 IE:00 BE:42* IE:00 IE:00 IE:00 BE:43* IE:00 IE:00 IE:00 " + full +
		"BE:44* IE:00 IE:00 TD:00"
	whole := []string{"0 live 8000", "5 live 8041", "9 live 8042", "13 live 8043", "17 live 8000", "22 live 8044"}
	if got := branches(config(8), records(t, text), 4096); !slices.Equal(got, whole) {
		t.Fatalf("%q, want %q", got, whole)
	}
	for _, tt := range []struct {
		name   string
		change func(s []port.Sample)
		want   []string
	}{
		{
			"an offset too high by one", func(s []port.Sample) { s[10] = port.NewSample(1, false, 0) },
			[]string{"0 live 8000", "5 live 8041", "9 lost", "13 live 8043", "17 live 8000", "22 live 8044"},
		},
		{
			"a TRACESYNC lost", func(s []port.Sample) { s[9] = port.NewSample(statusBE, false, 0x42) },
			[]string{"0 live 8000", "5 live 8041", "9 lost", "13 live 8043", "17 live 8000", "22 live 8044"},
		},
		{
			"a TRACESYNC added", func(s []port.Sample) { s[8] = port.NewSample(statusIE, true, 0x55) },
			[]string{"0 live 8000", "5 live 8041", "9 live 8042 extra", "13 live 8043", "17 live 8000", "22 live 8044"},
		},
	} {
		samples, err := port.ParseSamples(text, StatusNames)
		if err != nil {
			t.Fatal(err)
		}
		tt.change(samples)
		got := branches(config(8), port.Records(samples), 4096)
		for i := range got {
			got[i] = strings.TrimSuffix(got[i], " extra")
		}
		want := slices.Clone(tt.want)
		for i := range want {
			want[i] = strings.TrimSuffix(want[i], " extra")
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// The branches abandoned one after another are bounded, so that nothing stays open.
func TestManyAbandoned(t *testing.T) {
	b := records(t, start+strings.Repeat("BE:41* ", 3000))
	f := newFramer(config(8))
	for f.next < int64(len(b)/port.SampleBytes) {
		f.scan(b, 0, f.next+1)
		for f.settled() != nil {
		}
		if f.branches.len() > maxAbandoned+2 || f.came.len() > maxAbandoned+2 {
			t.Fatalf("at sample %d: %d branches and %d addresses are open", f.next, f.branches.len(), f.came.len())
		}
	}
}
