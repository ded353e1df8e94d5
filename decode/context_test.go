package decode

import (
	"testing"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

func TestContextSecurity(t *testing.T) {
	tests := []struct {
		ns, hyp, nse bool
		want         schema.Security
		space        image.Space
	}{
		{false, false, false, schema.Secure, image.SecureSpace},
		{true, false, false, schema.NonSecure, image.NonSecureSpace},
		{true, true, false, schema.Hyp, image.HypSpace},
		{false, false, true, schema.Root, image.SecureSpace},
		{true, false, true, schema.Realm, image.AnySpace},
	}
	for _, tt := range tests {
		c := Context{NS: tt.ns, Hyp: tt.hyp, NSE: tt.nse}
		if c.Security() != tt.want || c.Space() != tt.space {
			t.Errorf("%+v: %v, fetches from %v", c, c.Security(), c.Space())
		}
		var set Context
		if set.SetSecurity(tt.want); set != c {
			t.Errorf("set to %v: %+v, want %+v", tt.want, set, c)
		}
	}
}
