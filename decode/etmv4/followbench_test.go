package etmv4_test

import (
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/pipeline/engine"
)

// BenchmarkFollow decodes streams of captures: bytes of trace a second.
func BenchmarkFollow(b *testing.B) {
	for _, i := range []int{0, 5, 7} {
		tt := &followed[i]
		b.Run(tt.capture, func(b *testing.B) {
			dir := filepath.Join(shared.File(b, "captures"), tt.capture)
			stream, cfg, mem := shared.Read(b, filepath.Join(dir, tt.stream)), tt.cfg(b), dumps(b, dir)
			all, _ := parts(b, stream, cfg, engine.Usual(cfg))
			d := cfg.NewDecoder(mem, decode.Wanted{})
			b.SetBytes(int64(len(stream)))
			for b.Loop() {
				r := &decode.Result{}
				for i := range all {
					d.Decode(r, all[i])
				}
			}
		})
	}
}
