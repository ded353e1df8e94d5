package etmv3

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
		{"at once", plain, "08 21 00100000", 0, async.ISyncFound},
		{"periodic", plain, "08 01 00100000", 0, async.ISyncFound},
		{"with count", counted, "84 70 05 21 00100000", 1, async.ISyncFound},
		{"data-only", dataOnly, "0c 08 2a 29", 1, async.ISyncFound},
		{"after other packets", plain, "84 4d 42 01 08 01 00100000 84", 4, async.ISyncFound},
		{"not the header alone", plain, "42 08 08 01 00100000", 2, async.ISyncFound},
		{"after a bad I-sync", plain, "84 08 25 00100000 08 21 00100000", 7, async.ISyncFound},
		{"after a periodic I-sync with LSiP", plain, "08 81 00100000 0b 84 08 21 00100000", 8, async.ISyncFound},
		{"bad I-sync only", plain, "84 08 25 00100000", 7, async.ISyncUnknown},
		{"nothing", plain, "", 0, async.ISyncUnknown},
		{"whole packets only", plain, "84 4d", 2, async.ISyncUnknown},
		{"another packet cut off", plain, "84 cd", 1, async.ISyncUnknown},
		{"I-sync cut off", plain, "84 08 21 001000", 1, async.ISyncUnknown},
		{"its count cut off", counted, "84 70 80", 1, async.ISyncUnknown},
		{"its Context ID cut off", contexts4, "84 08 112233", 1, async.ISyncUnknown},
		{"its second address cut off", plain, "84 08 a1 00100000", 1, async.ISyncUnknown},
		{"another A-sync cut off", plain, "84 0000000000", 1, async.ISyncUnknown},
		{"another A-sync first", plain, "84 000000000080", 0, async.NoISync},
		{"reserved header first", plain, "84 10 08 21 00100000", 0, async.NoISync},
		{"bad packet first", plain, "84 000080 08 21 00100000", 0, async.NoISync},
		{"bad second address", plain, "84 08 a1 00100000 8180808000", 0, async.NoISync},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n, found := tt.cfg.FindISync(unhex(t, tt.bytes))
			if n != tt.n || found != tt.found {
				t.Errorf("FindISync = %d, %d, want %d, %d", n, found, tt.n, tt.found)
			}
		})
	}
}
