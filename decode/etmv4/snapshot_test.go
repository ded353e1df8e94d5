package etmv4_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/decode/frame"
)

// Snapshots have all that binding needs, and the frames of a buffer hold the streams that the
// reference was given.
func TestSnapshots(t *testing.T) {
	dir := shared.File(t, "captures")
	for _, tt := range []struct {
		capture string
		bound   map[uint8]string // version and words of the sources that send
	}{
		{"etm4-juno_r1_1", map[uint8]string{
			0x10: "4.0 [no cycle counts 4-byte Context ID 1-byte VMID no timestamps return stack off]",
			0x15: "4.0 [no cycle counts 4-byte Context ID 1-byte VMID no timestamps return stack off]",
		}},
		{"etm4-juno-uname-002", map[uint8]string{0x16: "4.0 [no cycle counts no Context ID no VMID no timestamps return stack off]"}},
		{"ete-002-ack_test_scr", map[uint8]string{0x02: "1.0 [no cycle counts no Context ID no VMID no timestamps return stack off WFI and WFE are P0 elements]"}},
		{"ete-ete_spec_1", map[uint8]string{0x01: "1.0 [no cycle counts no Context ID no VMID no timestamps return stack off Q elements " +
			"up to 255 speculative elements WFI and WFE are P0 elements]"}},
		{"ete-src_addr", map[uint8]string{0x02: "1.0 [20-bit cycle counts no Context ID no VMID no timestamps return stack off Q elements " +
			"WFI and WFE are P0 elements]"}},
		{"ete-trace_file_cid_vmid", map[uint8]string{0x02: "1.0 [no cycle counts 4-byte Context ID 4-byte CONTEXTIDR_EL2 as VMID no timestamps " +
			"return stack off Q elements WFI and WFE are P0 elements]"}},
		{"ete-ts_marker", map[uint8]string{0x01: "1.1 [no cycle counts no Context ID no VMID 64-bit timestamps in natural binary " +
			"return stack off Q elements WFI and WFE are P0 elements]"}},
	} {
		t.Run(tt.capture, func(t *testing.T) {
			c, err := capture.Open(filepath.Join(dir, tt.capture), []decode.Family{etmv4.Family(), etmv4.ETEFamily()}, capture.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			found := 0
			for _, s := range c.Sources {
				want, ok := tt.bound[s.ID]
				if !ok || s.Problem != "" {
					continue
				}
				found++
				bind := etmv4.Bind
				if s.Protocol == "ete" {
					bind = etmv4.BindETE
				}
				p, notes, err := bind(decode.Source{Registers: s.Registers, CoreType: s.CoreType, Profile: string(s.Profile)})
				if err != nil || len(notes) > 0 {
					t.Fatalf("source %02x: %q, %v", s.ID, notes, err)
				}
				if got := fmt.Sprint(p.Version(), " ", p.Words()); got != want {
					t.Errorf("source %02x: %s\nwant %s", s.ID, got, want)
				}
				if b := s.Buffers[0]; b.Format == capture.CoreSight {
					checkStream(t, b, s.ID, filepath.Join(dir, tt.capture, "expected", fmt.Sprintf("%02x.bin.gz", s.ID)))
				}
			}
			if found != len(tt.bound) {
				t.Errorf("%d sources, want %d", found, len(tt.bound))
			}
		})
	}
}

// checkStream compares the stream of a source in frames with that of the reference.
func checkStream(t *testing.T, b *capture.Buffer, id uint8, reference string) {
	t.Helper()
	layout, err := frame.Detect(b.Data, b.Size, frame.DetectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := decode.ReadAll(frame.NewReader(b.Data, b.Size, layout.Layout, id))
	if err != nil || !bytes.Equal(got.Data, shared.Read(t, reference)) {
		t.Errorf("source %02x: %d bytes, not those of the reference, %v", id, len(got.Data), err)
	}
}
