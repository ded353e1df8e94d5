package pft

import (
	"testing"

	"github.com/tracelake/tracelake/decode/async"
)

func TestFindISync(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cfg   Config
		bytes string
		n     int
		found async.Found
	}{
		{"at once", plain, "08 00100000 21", 0, async.ISyncFound},
		{"after other packets", plain, "84 4d 42 01 08 00100000 01 84", 4, async.ISyncFound},
		{"not the header alone", plain, "42 08 08 00100000 01", 2, async.ISyncFound},
		{"nothing", plain, "", 0, async.ISyncUnknown},
		{"whole packets only", plain, "84 4d", 2, async.ISyncUnknown},
		{"another packet cut off", plain, "84 cd", 1, async.ISyncUnknown},
		{"I-sync cut off", plain, "84 08 00100000", 1, async.ISyncUnknown},
		{"its count cut off", counted, "84 08 00100000 21", 1, async.ISyncUnknown},
		{"its Context ID cut off", contexts4, "84 08 00100000 21 112233", 1, async.ISyncUnknown},
		{"its Context ID cut off by an A-sync", contexts4, "84 08 00000000 00 80", 1, async.ISyncUnknown},
		{"another A-sync cut off", plain, "84 0000000000", 1, async.ISyncUnknown},
		{"another A-sync first", plain, "84 000000000080", 0, async.NoISync},
		{"reserved header first", plain, "84 02 08 00100000 21", 0, async.NoISync},
		{"bad packet first", plain, "84 000080 08 00100000 21", 0, async.NoISync},
		{"another packet has zeros of an A-sync", contexts4, "6e 84000000 0000 80", 0, async.NoISync},
		{"bad I-sync", plain, "84 08 02100000 21", 0, async.NoISync},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n, found := tt.cfg.FindISync(unhex(t, tt.bytes))
			if n != tt.n || found != tt.found {
				t.Errorf("FindISync = %d, %d, want %d, %d", n, found, tt.n, tt.found)
			}
		})
	}
}
