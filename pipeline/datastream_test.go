package pipeline

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/snapshot"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/pipeline/plan"
	"github.com/tracelake/tracelake/schema"
)

// The data stream of an ETMv4 is a source of its own: its bytes are one loss that names it. The
// source of the instructions has a decoder. So it is in a raw file in frames, where the markers among the
// instructions show that there is one.
func TestDataStream(t *testing.T) {
	const id, dataBytes = 0x10, 100
	dir := dataStreamSnapshot(t, id, dataBytes)
	in, err := Inspect(t.Context(), filepath.Join(dir, "etb.bin"), capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "--framed --source 0x10 --source 0x11 --reg TRCCONFIGR=0x30001 -e PROGRAM.elf"
	if len(in.Lines) != 1 || !strings.HasSuffix(in.Lines[0], want) || in.Sources[1].Problem != "etmv4 data trace" {
		t.Errorf("inspect proposes %q, want %s; source 0x11: %s", in.Lines, want, in.Sources[1].Problem)
	}
	for name, opt := range map[string]capture.Options{
		dir:                           {},
		filepath.Join(dir, "etb.bin"): {Protocol: "etmv4", Framed: true, Regs: []string{"TRCCONFIGR=0x30001"}},
	} {
		checkDataStream(t, name, opt, id, dataBytes)
	}
}

func checkDataStream(t *testing.T, input string, opt capture.Options, id uint8, dataBytes int64) {
	t.Helper()
	c, err := capture.Open(input, Protocols(), opt)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p, err := plan.New(context.Background(), c, plan.Options{Families: Protocols(), Index: engine.NewWorkers(1).Index})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Sources) != 2 || p.Sources[0].Status != schema.StatusDecoded || p.Sources[1].Status != schema.StatusUnsupported {
		t.Fatalf("%d sources", len(p.Sources))
	}
	data := p.Sources[1]
	loss, err := data.Loss()
	if err != nil {
		t.Fatal(err)
	}
	if data.ID != id+1 || data.Protocol != "etmv4" || loss.Bytes != dataBytes || loss.Reason != schema.LossUnsupported || loss.Detail != "etmv4 data trace" {
		t.Errorf("source %#x of %s loses %+v", data.ID, data.Protocol, loss)
	}
}

// dataStreamSnapshot makes a snapshot of a source with ID id, which traces data in so many bytes.
func dataStreamSnapshot(t *testing.T, id uint8, dataBytes int) string {
	t.Helper()
	dir := t.TempDir()
	s := snapshot.Snapshot{
		Cores: []snapshot.Core{{Name: "cpu_0", Type: "Cortex-R8"}},
		Sources: []snapshot.Source{{
			Name: "ETM_0", Type: "ETM4", Core: "cpu_0", Buffer: "ETB_0", Registers: []snapshot.Register{
				{Name: "TRCCONFIGR", ID: 0x004, Value: 0x00030001}, {Name: "TRCTRACEIDR", ID: 0x010, Value: uint32(id)}, {Name: "TRCIDR1", ID: 0x079, Value: 0x4100F400},
			},
		}},
		Buffers: []snapshot.Buffer{{Name: "ETB_0", File: "etb.bin", Format: "coresight"}},
	}
	for name, text := range s.Files() {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	instructions := append(make([]byte, 11), 0x80, 0x01, 0x01, 0x00, 0x04, 0x82, 0x00, 0x08, 0x00, 0x00, 0x01)
	var buffer bytes.Buffer
	w := frame.NewWriter(&buffer)
	for _, part := range []struct {
		id    uint8
		bytes []byte
	}{{id, instructions}, {id + 1, bytes.Repeat([]byte{0x55}, dataBytes)}, {id, bytes.Repeat([]byte{0xF7, 0xF7, 0x21}, 70)}} {
		if err := w.Write(part.id, part.bytes); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "etb.bin"), buffer.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}
