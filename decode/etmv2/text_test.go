package etmv2

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/port"
)

// listed lists a stream whose samples are given to the lister so many at a time.
func listed(t *testing.T, c *Config, b []byte, step int) []string {
	t.Helper()
	var lines []string
	l, settled := c.NewLister(), 0
	for to := 0; ; {
		to = min(len(b), to+step*port.SampleBytes)
		n, err := l.List(b[settled:to], to == len(b), func(at, units int, x decode.PacketText) error {
			var line strings.Builder
			fmt.Fprintf(&line, "%d+%d %s %s", (settled+at)/port.SampleBytes, units, x.Type, x.Pins)
			for _, f := range x.Fields {
				if first, ok := f.Value.(decode.UnitIndex); ok {
					f.Value = settled/port.SampleBytes + int(first)
				}
				fmt.Fprintf(&line, " %s=%v", f.Name, f.Value)
			}
			if len(x.Owed) > 0 {
				fmt.Fprintf(&line, " [% x]", x.Owed)
			}
			lines = append(lines, line.String())
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		settled += n
		if to == len(b) {
			if settled != len(b) {
				t.Errorf("%d of %d bytes settled", settled, len(b))
			}
			return lines
		}
	}
}

// The list of packets has a line for each sample, those that may be dropped in one,
// with what the status owes.
func TestLister(t *testing.T) {
	for _, tt := range []struct {
		name, samples, want string
		cfg                 Config
	}{
		{"branches", "IE:ff TD:00 TD:00 TD:09 IE:20 TR:01 DE:00 WT:80 TD:00 TD:00 WT:00 WT:00 WT:03 WT:8d WT:80 WT:80 WT:80 WT:48 TD:00", `
			0+1 ie ff
			1+2 td 00
			3+1 tfo 09 at=4 reason=trace_on address=0x00008000 isa=a32 [20 00 80 00 00]
			4+1 ie 20
			5+1 tr 01 at=12 replaced=de packets=branch_address address_low=0x1 address_bits=6 [03]
			6+1 de 00 at=13 packets=branch_address address=0x00000018 isa=a32 cancel=true [8d 80 80 80 48]
			7+1 wt 80
			8+2 td 00
			10+1 wt 00
			11+1 wt 00
			12+1 wt 03
			13+1 wt 8d
			14+1 wt 80
			15+1 wt 80
			16+1 wt 80
			17+1 wt 48
			18+1 td 00`, plainTrace},
		{"data", "TD:09 DE:a0 DW:14 WT:80 WT:00 WT:00 WT:0d WT:f4 WT:10 WT:a2 WT:05 WT:6a WT:22 WT:07", `
			0+1 tfo 09 at=1 reason=trace_on address=0x00008014 isa=a32 current_address=0x00008018 current_isa=a32 [a0 14 80 00 00 0d]
			1+1 de a0 at=7 packets=load_miss normal_data value_not_traced 1_new_address=true 1_address_low=0x10 1_address_bits=7 1_tag=1 2_new_address=true 2_address_low=0x5 2_address_bits=7 2_value=0x0 [f4 10 a2 05 6a]
			2+1 dw 14 at=12 packets=normal_data new_address=true address_low=0x7 address_bits=7 value=0x0 [22 07]
			3+1 wt 80
			4+1 wt 00
			5+1 wt 00
			6+1 wt 0d
			7+1 wt f4
			8+1 wt 10
			9+1 wt a2
			10+1 wt 05
			11+1 wt 6a
			12+1 wt 22
			13+1 wt 07`, dataBoth},
		{"context and trigger", "TR:07 IE:09 DE:20 WT:2a WT:00 WT:80 WT:00 WT:00 WT:6e WT:2b", `
			0+1 tfo 07 at=2 trigger=true reason=trace_on address=0x00008000 isa=a32 context_id=42 [20 2a 00 80 00 00]
			1+1 ie 09
			2+1 de 20 at=8 packets=context_id context_id=43 [6e 2b]
			3+1 wt 2a
			4+1 wt 00
			5+1 wt 80
			6+1 wt 00
			7+1 wt 00
			8+1 wt 6e
			9+1 wt 2b`, contexts1},
		{"damage", "TD:09 DE:20 IE:00 WT:80 WT:00 WT:00 WT:12 DE:00 TD:09 IE:38 TD:09 IE:20", `
			0+1 tfo 09 at=1 reason=trace_on address=0x00008000 isa=a32 [20 00 80 00 00]
			1+1 de 20 error=etmv2: reserved header 0x12: no packet has that header
			2+1 ie 00
			3+1 wt 80
			4+1 wt 00
			5+1 wt 00
			6+1 wt 12
			7+1 de 00
			8+1 tfo 09 error=etmv2: reserved header 0x38: bits 4:0 of a TFO header are not 0
			9+1 ie 38
			10+1 tfo 09 error=cut off by the end of the stream
			11+1 ie 20`, plainTrace},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := strings.ReplaceAll(strings.TrimSpace(tt.want), "\t", "")
			b := records(t, tt.samples)
			for _, step := range []int{1 << 20, 1} {
				if got := strings.Join(listed(t, &tt.cfg, b, step), "\n"); got != want {
					t.Errorf("%d samples at a time:\n%s\nwant\n%s", step, got, want)
				}
			}
		})
	}
}

// A stream that is longer than what the lister looks ahead is listed as it comes.
func TestListerLong(t *testing.T) {
	b := benchSamples(benchConfig(), 5000)
	whole := listed(t, benchConfig(), b, 1<<20)
	for _, step := range []int{100, 1777} {
		got := listed(t, benchConfig(), b, step)
		for i := range max(len(got), len(whole)) {
			if i >= len(got) || i >= len(whole) || got[i] != whole[i] {
				t.Fatalf("%d samples at a time: line %d of %d, want %d", step, i, len(got), len(whole))
			}
		}
	}
	idle := make([]byte, 0)
	for range 3 * reach {
		idle = port.Append(idle, port.NewSample(StatusTD, false, 0))
	}
	if lines := listed(t, benchConfig(), idle, 1<<20); len(lines) != 1 {
		t.Errorf("%d lines of idle samples", len(lines))
	}
	if lines := listed(t, benchConfig(), idle, reach); len(lines) > 3 {
		t.Errorf("%d lines of idle samples", len(lines))
	}
}

// An error of the reader ends the list.
func TestListerFails(t *testing.T) {
	b := records(t,
		"IE:00 TD:09 DE:20 IE:00 WT:80 WT:00 WT:00 WT:12 TD:00 TD:09 IE:20 WT:00 WT:80 WT:00 WT:00 DE:01 TD:00 TD:09 IE:38")
	full := len(listed(t, &plainTrace, b, 1<<20))
	for n := range full {
		failed := fmt.Errorf("line %d", n)
		if _, err := plainTrace.NewLister().List(b, true, func(int, int, decode.PacketText) error {
			if n--; n < 0 {
				return failed
			}
			return nil
		}); !errors.Is(err, failed) {
			t.Errorf("line %d: %v", n, err)
		}
	}
}

func TestParsePacket(t *testing.T) {
	x, err := plainTrace.ParsePacket(records(t, "PN_DE:01"))
	if err != nil || x.Type != "pn_de" || x.Pins != "01" || x.Len != 4 {
		t.Errorf("%+v, %v", x, err)
	}
	if _, err := plainTrace.ParsePacket([]byte{1, 2, 3}); err == nil {
		t.Error("three bytes are a sample")
	}
}
