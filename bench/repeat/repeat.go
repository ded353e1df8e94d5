// Package repeat makes a long capture of a short one, so that what it costs to decode
// can be measured: the trace is laid end to end.
//
// Its API is not stable (docs/guide/library.md).
package repeat

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/async"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/decode/frame"
)

// Snapshot copies a snapshot with its trace repeated until it has size bytes. It must
// be one buffer, of format coresight, or of format source_data and then begin with an
// A-sync. Of frames, what each configured source sent from its first A-sync up to its
// last is repeated, and put into frames again.
func Snapshot(from, to string, size int) error {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	c, err := capture.Open(to, []decode.Family{etmv4.Family(), etmv4.ETEFamily()}, capture.Options{}) // see syncForm
	if err != nil {
		return err
	}
	defer c.Close()
	if len(c.Buffers) != 1 || len(c.Buffers[0].Files) != 1 {
		return fmt.Errorf("%s: not one buffer in one file; take a snapshot of one", from)
	}
	file := c.Buffers[0].Files[0]
	write, err := repeater(c, size)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(from, file), err)
	}
	name := filepath.Join(to, file)
	if err := os.Remove(name); err != nil { // it may be read-only, and is still being read
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// repeater returns a function that writes the trace of the one buffer of c
// repeated: the stream of a source as it is; of frames, the sections of the
// configured sources between A-syncs, in frames again.
func repeater(c *capture.Capture, size int) (write func(io.Writer) error, err error) {
	switch b := c.Buffers[0]; b.Format {
	case capture.SourceData:
		trace := make([]byte, b.Size)
		if _, err := b.Data.ReadAt(trace, 0); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		return func(w io.Writer) error { return repeat(w, trace, size) }, nil
	case capture.CoreSight:
		var sections []section
		for _, s := range c.Sources {
			found, err := deframe(b, s.ID, syncForm(s))
			if err != nil {
				return nil, err
			}
			sections = append(sections, found...)
		}
		if len(sections) == 0 {
			return nil, errors.New("no source has two A-syncs: there is nothing between them to repeat")
		}
		return func(w io.Writer) error { return repeatFrames(w, sections, size) }, nil
	}
	return nil, errors.New("its format is neither source_data nor coresight; take a snapshot whose is")
}

// repeat writes trace until size bytes are reached.
func repeat(w io.Writer, trace []byte, size int) error {
	for n := 0; n < size; n += len(trace) {
		if _, err := w.Write(trace); err != nil {
			return err
		}
	}
	return nil
}

// A section is what a source sent from its first A-sync up to its last: whole
// segments, so that sections can be laid end to end.
type section struct {
	id    uint8
	bytes []byte
}

// turnBytes is how many bytes of the longest section are written in a turn.
const turnBytes = 256

// repeatFrames writes sections into frames until size bytes of them are reached.
// They take turns, each in proportion to its length.
func repeatFrames(w io.Writer, sections []section, size int) error {
	frames := frame.NewWriter(w)
	longest, all := 0, 0
	for _, s := range sections {
		longest, all = max(longest, len(s.bytes)), all+len(s.bytes)
	}
	turns := 1 + longest/turnBytes
	for n := 0; n < size; n += all {
		for turn := range turns {
			for _, s := range sections {
				piece := s.bytes[turn*len(s.bytes)/turns : (turn+1)*len(s.bytes)/turns]
				if err := frames.Write(s.id, piece); err != nil {
					return err
				}
			}
		}
	}
	return frames.Flush()
}

// syncForm returns the A-sync of a source, the shortest there is, which longer ones end with.
func syncForm(s *capture.Source) async.Form {
	if s.Protocol == etmv4.Family().Name || s.Protocol == etmv4.ETEFamily().Name {
		return async.Long
	}
	return async.Short
}

// deframe returns the section of a source in a buffer of frames, if there is one.
// The bytes before and after it are the rest of a ring.
func deframe(b *capture.Buffer, id uint8, sync async.Form) ([]section, error) {
	var piece decode.Piece
	stream := frame.NewReader(b.Data, b.Size, frame.Layout{}, id) // frames in memory are aligned to its start
	for {
		_, err := stream.Next(&piece)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	trace := piece.Data
	first, last := -1, -1
	for at := 0; ; {
		n := sync.Next(trace[at:])
		if n < 0 {
			break
		}
		at += n
		if last = at - sync.Bytes(); first < 0 {
			first = last
		}
	}
	if first == last {
		return nil, nil
	}
	return []section{{id, trace[first:last]}}, nil
}

// Samples lays the samples of a sample file end to end in it.
func Samples(name string, times int) error {
	const headerBytes, samplesAt = 16, 12 // docs/etmv2.md §3.4
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	head, samples := b[:headerBytes], b[headerBytes:]
	binary.LittleEndian.PutUint32(head[samplesAt:], 0) // to the end of the file
	return os.WriteFile(name, append(bytes.Clone(head), bytes.Repeat(samples, times)...), 0o666)
}
