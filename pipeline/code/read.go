package code

import (
	"encoding/hex"
	"errors"
	"path"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/decode/program"
	"github.com/tracelake/tracelake/schema"
)

// Dialects says how the code of a core is read; "" is every core.
type Dialects func(core string) isa.Dialect

// Read reads the program files of a capture; notes say what they lack.
func Read(c *capture.Capture, dialects Dialects) (programs []Program, notes []string, err error) {
	for i := range c.Programs {
		f := &c.Programs[i]
		p, err := program.Read(f.File, f.Base, dialects(f.Core))
		if bad, ok := errors.AsType[*image.FormatError](err); ok {
			return nil, nil, &capture.InputError{File: f.Name, Problem: bad.Problem, Remedy: bad.Remedy, Err: err}
		}
		if err != nil {
			return nil, nil, err
		}
		for _, lack := range p.Notes {
			notes = append(notes, f.Name+": "+lack)
		}
		x := Program{Program: p, Core: f.Core}
		if f.Base != nil {
			x.Base = *f.Base
		}
		programs = append(programs, x)
	}
	programs, err = Check(programs)
	return programs, notes, err
}

// Region returns what a manifest says of a region of program memory.
func Region(r *image.Region) schema.ImageRegion {
	region := schema.ImageRegion{
		File: path.Base(r.File), SHA256: hex.EncodeToString(r.SHA256[:]), BuildID: r.BuildID,
		Address: r.Address, Bytes: int64(len(r.Bytes)), Core: r.Core,
	}
	if r.Space != image.AnySpace {
		region.Space = r.Space.String()
	}
	return region
}
