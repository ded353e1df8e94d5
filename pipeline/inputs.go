package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/schema"
)

// A ChangedError says that a file of trace data was written to while it was
// read: its hash and the rows made of it may be of different bytes.
type ChangedError struct {
	Path string
}

func (e *ChangedError) Error() string {
	return e.Path + " was written to while it was exported; export it again once nothing writes to it, or export a copy"
}

// An input is a file that a capture is read from, as it was when that was opened.
type input struct {
	*capture.Input
	opened fs.FileInfo // of a file of trace data, else nil
}

// inputsOf returns the files of a capture that was just opened.
func inputsOf(c *capture.Capture) ([]input, error) {
	var inputs []input
	for _, in := range c.Inputs {
		x := input{Input: in}
		if in.Data != nil {
			var err error
			if x.opened, err = in.Data.Stat(); err != nil {
				return nil, fmt.Errorf("read %s: %w", in.Path, err)
			}
		}
		inputs = append(inputs, x)
	}
	return inputs, nil
}

// hash returns the SHA-256 of the file.
func (in *input) hash(ctx context.Context) ([sha256.Size]byte, error) {
	sum := in.SHA256
	if in.opened == nil {
		return sum, nil
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(contextReaderAt{ctx, in.Data}, 0, in.Bytes)); err != nil {
		return sum, fmt.Errorf("read %s: %w", in.Path, err)
	}
	h.Sum(sum[:0])
	return sum, nil
}

// hashInputs hashes the files the capture is read from.
func (s *session) hashInputs(ctx context.Context) ([]schema.InputFile, error) {
	var files []schema.InputFile
	for i := range s.inputs {
		in := &s.inputs[i]
		sum, err := in.hash(ctx)
		if err != nil {
			return nil, err
		}
		files = append(files, schema.InputFile{Path: in.Path, Bytes: in.Bytes, SHA256: hex.EncodeToString(sum[:])})
	}
	return files, nil
}

// checkInputs fails with a [*ChangedError] if a file of trace data is not as it was
// when it was opened: by its size and time, and a small one, which may be written
// within one tick of the clock, by its hash too.
func (s *session) checkInputs(ctx context.Context, hashed []schema.InputFile) error {
	for i := range s.inputs {
		in := &s.inputs[i]
		if in.opened == nil {
			continue
		}
		now, err := in.Data.Stat()
		if err != nil {
			return fmt.Errorf("read %s: %w", in.Path, err)
		}
		if now.Size() != in.opened.Size() || !now.ModTime().Equal(in.opened.ModTime()) {
			return &ChangedError{in.Path}
		}
		if in.Bytes > rehashBytes {
			continue
		}
		sum, err := in.hash(ctx)
		if err != nil {
			return err
		}
		if hex.EncodeToString(sum[:]) != hashed[i].SHA256 {
			return &ChangedError{in.Path}
		}
	}
	return nil
}
