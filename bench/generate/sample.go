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

// SampleWorkload is the sample for ARMv5TE, and its execution as QEMU recorded it,
// without data. It is good for one capture, which is of one core.
func SampleWorkload() (*Workload, error) {
	regions, _, err := readELF(sample.ARM926ELF, sample.ARM926())
	if err != nil {
		return nil, err
	}
	text, err := gzip.NewReader(bytes.NewReader(sample.ARM926Recording()))
	if err != nil {
		return nil, fmt.Errorf("the recording of the sample: %w", err)
	}
	w := &Workload{Memory: regions, Arch: program.V5TE}
	w.Recorded = new(cost.Model).Apply(recording.Read(text, w.Program(), schema.Secure))
	return w, nil
}
