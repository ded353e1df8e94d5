package etmv2

import (
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/port"
)

func records(t testing.TB, text string) []byte {
	t.Helper()
	samples, err := port.ParseSamples(text, StatusNames)
	if err != nil {
		t.Fatal(err)
	}
	return port.Records(samples)
}

// Streams with a periodic TFO, one for each setting that can be told from another.
var tunable = []struct {
	options, pins, samples string
}{
	{"TFO=flag FIRST=same", "8",
		"TD:09 IE:20 TD:49 IN:00 WT:80 WT:00 WT:00 WT:00 WT:04 WT:80 WT:00 WT:00 TD:09 IE:00 WT:00 WT:80 WT:00 WT:00"},
	{"TFO=plain FIRST=same", "8",
		"TD:01 IE:20 TD:41 IN:00 WT:80 WT:00 WT:00 WT:00 WT:04 WT:80 WT:00 WT:00 TD:01 IE:00 WT:00 WT:80 WT:00 WT:00"},
	{"TFO=flag FIRST=next", "8",
		"TD:09 IE:20 WT:0c WT:80 WT:00 WT:00 DE:01 TD:59 IE:c1 WT:80 WT:82 WT:80 WT:10 WT:00 WT:00 WT:80 WT:00 WT:00"},
	{"TFO=flag FIRST=same GAP=none", "4",
		"TD:9 IE:0 IE:0 WT:2 WT:0 WT:0 WT:0 WT:8 WT:0 WT:0 WT:0 WT:0 TD:9 IE:0 WT:0 WT:0 WT:4 WT:0 WT:0 WT:8 WT:0 WT:0 WT:0 WT:0 TD:9 IE:0"},
	{"TFO=flag FIRST=same GAP=after", "4",
		"TD:9 IE:0 IE:0 WT:0 WT:2 WT:0 WT:0 WT:0 WT:8 WT:0 WT:0 WT:0 WT:0 TD:9 IE:0 WT:0 WT:0 WT:0 WT:4 WT:0 WT:0 WT:8 WT:0 WT:0 WT:0 WT:0 TD:9 IE:0"},
}

// The settings found by trying are those of the stream (docs/etmv2.md §8.5).
func TestTune(t *testing.T) {
	for _, tt := range tunable {
		words := map[string]string{"TFO": "auto", "FIRST": "auto", "PORTSIZE": tt.pins}
		if tt.pins == "4" {
			words["GAP"] = "auto"
		}
		c, err := bound(t, words)
		if err != nil {
			t.Fatal(err)
		}
		p, trials := c.Tune(records(t, tt.samples))
		if got := strings.Join(p.Words(), " "); !strings.Contains(got, tt.options) {
			t.Errorf("%s: %s", tt.options, got)
		}
		if want := 1 << strings.Count(tt.options, "="); len(trials) != want || trials[0].Settings != tt.options ||
			trials[0].Errors != 0 ||
			trials[0].Right != trials[0].Checks || trials[0].Checks == 0 {
			t.Errorf("%s: %+v", tt.options, trials)
		}
		if again, trials := p.(*Config).Tune(nil); again != p || trials != nil {
			t.Errorf("%s: there is nothing left to find", tt.options)
		}
		if n := p.RateSyncs(records(t, tt.samples)); n < 2 {
			t.Errorf("%s: rated %d", tt.options, n)
		}
	}
}
