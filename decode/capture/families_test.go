package capture

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/etmv1"
	"github.com/tracelake/tracelake/decode/etmv2"
	"github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/decode/pft"
)

// decoded are the families that captures are opened with in tests.
var decoded = []decode.Family{pft.Family(), etmv3.Family(), etmv1.Family(), etmv2.Family()}
