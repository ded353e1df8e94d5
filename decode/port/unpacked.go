package port

import (
	"errors"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/decode"
)

// brokenDumpSamples is from how many samples on a dump of 4 pins shows that OpenOCD
// unpacked it wrongly.
const brokenDumpSamples = 30

// checkUnpacked fails if OpenOCD read the dump of 4 pins from an ETB: it keeps only
// PIPESTAT[0] of the second and third sample of each word (docs/etmv2.md §3.3).
func (s *stream) checkUnpacked() error {
	if s.cfg.Width != 4 || s.valid < brokenDumpSamples {
		return nil
	}
	r := io.NewSectionReader(s.buf, s.head, s.valid*dumpRecordBytes)
	chunk := make([]byte, 3*dumpRecordBytes<<10)
	for {
		n, err := io.ReadFull(r, chunk)
		for i := 0; i+dumpRecordBytes <= n; i += dumpRecordBytes {
			if i/dumpRecordBytes%3 != 0 && dumpSample(chunk[i:], 4).Status() > 1 {
				return nil
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return &decode.SpoiledError{Reason: "of each three samples of the dump, the second and third have no status above " +
				"1: " +
				"OpenOCD unpacks an ETB of 4 pins wrongly, and what it left out is lost; read the words of the ETB themselves, " +
				"and decode them with --reg LAYOUT=etb"}
		case err != nil:
			return fmt.Errorf("read capture at offset 0x%x: %w", s.head, err)
		}
	}
}
