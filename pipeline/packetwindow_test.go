package pipeline

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	encodepft "github.com/tracelake/tracelake/bench/encode/pft"
	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/frame"
)

// TestPacketsNear lists packets between offsets of captures that are long, or have no A-sync
// for long, and demands the lines that the whole list has there.
func TestPacketsNear(t *testing.T) {
	need.FullRun(t, oneWorker)
	run := runPFT(t, 1, pftCells[1], encodepft.Vary(1, synthRate))
	stream := bytes.Repeat(run.stream.Bytes(), 1+1<<18/run.stream.Len())
	quiet := slices.Clone(stream) // atoms alone from 64 KiB to 224 KiB
	for i := 64 << 10; i < 224<<10; i++ {
		quiet[i] = 0x84
	}
	for _, tt := range []struct {
		name   string
		stream []byte
		dir    func(*synthRun) string
	}{
		{"raw", stream, func(r *synthRun) string { return synthRaw(t, r) }},
		{"raw, quiet", quiet, func(r *synthRun) string { return synthRaw(t, r) }},
		{"frames, quiet", quiet, func(r *synthRun) string {
			var b bytes.Buffer
			return synthFrames(t, []*synthRun{r}, frame.NewWriter(&b), &b, "coresight")
		}},
		{"port", stream, func(r *synthRun) string {
			var b bytes.Buffer
			return synthFrames(t, []*synthRun{r}, frame.NewPortWriter(&b, 9), &b, "dstream_coresight")
		}},
		{"frames that slip", stream, func(r *synthRun) string {
			var b bytes.Buffer
			dir := synthFrames(t, []*synthRun{r}, frame.NewWriter(&b), &b, "coresight")
			file := filepath.Join(dir, "trace.bin")
			trace, err := os.ReadFile(file)
			check(t, err)
			check(t, os.WriteFile(file, slices.Delete(trace, 100_001, 100_004), 0o600))
			return dir
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := *run
			r.stream = *bytes.NewBuffer(tt.stream)
			checkPacketsNear(t, tt.dir(&r))
		})
	}
}

func checkPacketsNear(t *testing.T, dir string) {
	t.Helper()
	all := packetLines(t, dir, 0, -1)
	random := rand.New(rand.NewPCG(1, 'p'))
	for range need.Size(4, 100) {
		from := random.Int64N(250 << 10)
		to := from + random.Int64N(1000)
		var want []PacketLine
		for _, p := range all {
			if p.Offset >= to {
				break
			}
			if p.Offset >= from {
				want = append(want, p)
			}
		}
		got := packetLines(t, dir, from, to)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("from 0x%x to 0x%x there are %d lines, want %d:\n%v\n%v", from, to, len(got), len(want), got, want)
		}
	}
}

func packetLines(t *testing.T, dir string, from, to int64) (lines []PacketLine) {
	t.Helper()
	err := Packets(t.Context(), dir, PacketOptions{From: from, To: to}, func(p PacketLine) error {
		p.Bytes = bytes.Clone(p.Bytes)
		lines = append(lines, p)
		return nil
	})
	check(t, err)
	return lines
}
