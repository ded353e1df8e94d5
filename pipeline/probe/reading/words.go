package reading

import (
	"fmt"
	"strings"

	"github.com/tracelake/tracelake/decode/figures"
)

// String returns the reading in a line: "71.55 % not matched to code: 5,998 × E atom on an
// indirect branch, but the return stack is off: add --reg ETMCR=0x20000400".
func (r *Reading) String() string {
	var parts []string
	if r.Problem != NoProblem && !r.Nothing {
		words := string(r.Problem)
		switch r.Problem {
		case Misaligned:
			words = "of the offsets into the FIFO wrong"
		case Unplaced:
			words = "not matched to code"
		}
		parts = append(parts, figures.Percent(r.Share.N, r.Share.Total)+" "+words)
	}
	if r.Cause != nil {
		parts = append(parts, r.Cause.String())
	}
	if r.Remedy != nil {
		parts = append(parts, r.Remedy.String())
	}
	return strings.Join(parts, ": ")
}

// String returns the cause with its count, if it is there more than once.
func (c *Cause) String() string {
	if c.Count <= 1 {
		return c.Text
	}
	return fmt.Sprintf("%s × %s", figures.Thousands(c.Count), c.Text)
}

// String says what to do: "add --reg ETMCR=0x20000400", "as pft 99.98 % would
// decode: --protocol pft --reg …".
func (r *Remedy) String() string {
	flags := strings.Join(r.Flags, " ")
	if r.Protocol == "" {
		return "add " + flags
	}
	return fmt.Sprintf("as %s %s would decode: %s", r.Protocol, figures.Percent(r.Right.N, r.Right.Total), flags)
}
