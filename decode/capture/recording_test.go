package capture

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/decodetest/shared"
)

// TestRecordings: what there is in the recordings of simpleperf.
func TestRecordings(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{
			"kernel", "trace coresight 39200 bytes [0 16368 22832]; cpu0 10 etmv4 4.2 [trace]; cpu1 12 etmv4 4.2 [trace]; " +
				"cpu2 14 etmv4 4.2 [trace]; cpu3 16 etmv4 4.2 [trace]; cpu4 18 etmv4 4.2 [trace]; cpu5 1a etmv4 4.2 [trace]; " +
				"cpu6 1c etmv4 4.2 [trace]; cpu7 1e etmv4 4.2 [trace]",
		},
		{"unformatted", "cpu0 source_data 76 bytes [0]; cpu0 10 ete 1.1 [cpu0]"},
	} {
		c, err := Open(filepath.Join(shared.File(t, "captures"), "perf-simpleperf-"+tt.name, "perf.data"), decodedWide, Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		if got := recordingText(c); got != tt.want {
			t.Errorf("%s: got  %s\nwant %s", tt.name, got, tt.want)
		}
		if err := c.Close(); err != nil || c.Raw() {
			t.Error(err, c.Raw())
		}
	}
}

func recordingText(c *Capture) string {
	var words []string
	for _, b := range c.Buffers {
		words = append(words, fmt.Sprintf("%s %s %d bytes %v", b.Name, b.Format, b.Size, b.Runs))
	}
	for _, s := range c.Sources {
		in := slices.Collect(func(yield func(string) bool) {
			for _, b := range s.Buffers {
				yield(b.Name)
			}
		})
		words = append(words, fmt.Sprintf("%s %x %s %s %v%s", s.Name, s.ID, s.Protocol, s.Version, in, s.Problem))
	}
	return strings.Join(words, "; ")
}

// TestRecordingFlags: what a recording says itself is no flag, and a damaged one is an error of the input.
func TestRecordingFlags(t *testing.T) {
	from := filepath.Join(shared.File(t, "captures"), "perf-simpleperf-kernel", "perf.data")
	offset := int64(0)
	for flag, opt := range map[string]Options{
		"--protocol": {Protocol: "etmv4"}, "--framed": {Framed: true}, "--frame-offset": {FrameOffset: &offset},
		"--ring-start": {RingStart: &offset}, "--buffer b": {Buffer: "b"},
	} {
		if _, err := Open(from, decodedWide, opt); !errors.Is(err, ErrUsage) || !strings.HasPrefix(err.Error(), flag) {
			t.Errorf("%s: %v", flag, err)
		}
	}
	damaged := filepath.Join(t.TempDir(), "perf.data")
	if err := os.WriteFile(damaged, shared.Read(t, from)[:64], 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(damaged, decodedWide, Options{})
	if _, ok := errors.AsType[*InputError](err); !ok {
		t.Errorf("%v", err)
	}
	t.Log(err)
}
