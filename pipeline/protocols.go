package pipeline

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/etmv1"
	"github.com/tracelake/tracelake/decode/etmv2"
	"github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/decode/pft"
)

// Protocols returns the protocols that are decoded: a new one is one line.
func Protocols() []decode.Family {
	return []decode.Family{
		pft.Family(),
		etmv3.Family(),
		etmv1.Family(),
		etmv2.Family(),
		etmv4.Family(),
		etmv4.ETEFamily(),
	}
}
