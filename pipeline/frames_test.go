package pipeline

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
)

// The frames of a raw file are found without its registers, and whatever protocol
// is given: TC2 has sources of two. The captures begin with a frame; bytes before
// it move that.
func TestFrameOffsetWithoutRegisters(t *testing.T) {
	need.FullRun(t, everyWay)
	for i, name := range []string{
		"opencsd-TC2/cstrace.bin", "stm32f105-m3-etmv34-itm-swo/tpiu.bin", "am243x-r5f-etmv3-zephyr-e9185a9/tbr.bin",
		"am243x-r5f-etmv3-freertos-002b37c/tbr.bin", "am243x-r5f-etmv3-threadx-ce42d22/tbr.bin",
	} {
		t.Run(filepath.Dir(name), func(t *testing.T) {
			trace := shared.Read(t, shared.File(t, "captures/"+name))
			file := filepath.Join(t.TempDir(), "trace.bin")
			random := rand.New(rand.NewPCG(15, 0))
			heads, protocols := []int{14, 0, 31, 1, 2}[:need.Size(3, 5)], []string{"pft", "etmv3"}
			if i > 0 {
				heads, protocols = heads[:need.Size(1, 5)], protocols[need.Size(i%2, 0):][:need.Size(1, 2)]
			}
			for _, head := range heads {
				garbage := make([]byte, head)
				for i := range garbage {
					garbage[i] = byte(random.Uint32())
				}
				if err := os.WriteFile(file, slices.Concat(garbage, trace), 0o600); err != nil {
					t.Fatal(err)
				}
				for _, protocol := range protocols {
					in, err := Inspect(t.Context(), file, capture.Options{Protocol: protocol, Framed: true})
					if err != nil {
						t.Fatal(err)
					}
					if got, want := in.Buffers[0].FrameOffset, int64(head%16); got != want {
						t.Errorf("%d bytes before it, %s: frames at offset %d, want %d", head, protocol, got, want)
					}
					if !slices.ContainsFunc(in.Notes, func(n string) bool { return strings.HasPrefix(n, "buffer trace.bin: frames begin at offset 0x") }) {
						t.Errorf("%d bytes before it, %s: no word of the offset in %q", head, protocol, in.Notes)
					}
				}
			}
		})
	}
}
