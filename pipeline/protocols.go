package pipeline

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/decode/pft"
)

// protocols has the decoders by the name of their protocol: a new protocol is
// one line. Each returns the protocol bound to a source, what
// the user should know about it, or why it cannot be decoded.
var protocols = map[string]func(decode.Source) (decode.Protocol, []string, error){
	capture.PFT:   pft.Bind,
	capture.ETMv3: etmv3.Bind,
}
