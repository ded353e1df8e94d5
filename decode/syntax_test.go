package decode

import "testing"

func TestSyntaxError(t *testing.T) {
	for want, err := range map[string]SyntaxError{
		"etmv3: reserved header 0x10: why": {Protocol: "etmv3", Header: 0x10, Reserved: true, Reason: "why"},
		"pft: bad packet 0x81: why":        {Protocol: "pft", Header: 0x81, Reason: "why"},
	} {
		if got := err.Error(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
