package generate

import (
	"bytes"
	"compress/gzip"
	"fmt"

	"github.com/tracelake/tracelake/bench/cost"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/recording"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/schema"
)

// SampleWorkload is the sample for V7A or V5TE, and its execution as QEMU recorded
// it, without data. It is good for one capture, which is of one core.
func SampleWorkload(arch program.Arch) (*Workload, error) {
	name, file, recorded, security := sample.ELF, sample.Program(), sample.Recording(), schema.NonSecure
	if arch == program.V5TE {
		name, file, recorded, security = sample.ARM926ELF, sample.ARM926(), sample.ARM926Recording(), schema.Secure
	}
	regions, _, err := readELF(name, file)
	if err != nil {
		return nil, err
	}
	text, err := gzip.NewReader(bytes.NewReader(recorded))
	if err != nil {
		return nil, fmt.Errorf("the recording of the sample: %w", err)
	}
	w := &Workload{Memory: regions, Arch: arch}
	w.Recorded = new(cost.Model).Apply(recording.Read(text, w.Program(), security))
	return w, nil
}
