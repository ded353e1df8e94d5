package etmv3

import (
	"testing"

	"github.com/tracelake/tracelake/decode"
)

func TestFindISync(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cfg   Config
		bytes string
		n     int
		found decode.Found
	}{
		{"at once", plain, "08 21 00100000", 0, decode.ISyncFound},
		{"periodic", plain, "08 01 00100000", 0, decode.ISyncFound},
		{"with count", counted, "84 70 05 21 00100000", 1, decode.ISyncFound},
		{"data-only", dataOnly, "0c 08 2a 29", 1, decode.ISyncFound},
		{"behind other packets", plain, "84 4d 42 01 08 01 00100000 84", 4, decode.ISyncFound},
		{"not the header alone", plain, "42 08 08 01 00100000", 2, decode.ISyncFound},
		{"behind a bad I-sync", plain, "84 08 25 00100000 08 21 00100000", 7, decode.ISyncFound},
		{"behind a periodic one with LSiP", plain, "08 81 00100000 0b 84 08 21 00100000", 8, decode.ISyncFound},
		{"bad I-sync only", plain, "84 08 25 00100000", 7, decode.ISyncUnknown},
		{"nothing", plain, "", 0, decode.ISyncUnknown},
		{"whole packets only", plain, "84 4d", 2, decode.ISyncUnknown},
		{"another packet cut off", plain, "84 cd", 1, decode.ISyncUnknown},
		{"I-sync cut off", plain, "84 08 21 001000", 1, decode.ISyncUnknown},
		{"its count cut off", counted, "84 70 80", 1, decode.ISyncUnknown},
		{"its Context ID cut off", contexts4, "84 08 112233", 1, decode.ISyncUnknown},
		{"its second address cut off", plain, "84 08 a1 00100000", 1, decode.ISyncUnknown},
		{"another A-sync cut off", plain, "84 0000000000", 1, decode.ISyncUnknown},
		{"another A-sync first", plain, "84 000000000080", 0, decode.NoISync},
		{"reserved header first", plain, "84 10 08 21 00100000", 0, decode.NoISync},
		{"bad packet first", plain, "84 000080 08 21 00100000", 0, decode.NoISync},
		{"bad second address", plain, "84 08 a1 00100000 8180808000", 0, decode.NoISync},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n, found := tt.cfg.FindISync(unhex(t, tt.bytes))
			if n != tt.n || found != tt.found {
				t.Errorf("FindISync = %d, %d, want %d, %d", n, found, tt.n, tt.found)
			}
		})
	}
}
