package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/tracelake/tracelake/pipeline/engine"

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

// hashBlock is how much of a file is hashed with one token.
const hashBlock = 1 << 20

// hash returns the SHA-256 of the file. It computes with the tokens of workers.
func (in *input) hash(ctx context.Context, tokens engine.Workers) ([sha256.Size]byte, error) {
	sum := in.SHA256
	if in.opened == nil {
		return sum, nil
	}
	h, buf := sha256.New(), make([]byte, hashBlock)
	for at := int64(0); at < in.Bytes; {
		var n int
		err := tokens.Compute(ctx, func() (err error) {
			n, err = in.Data.ReadAt(buf[:min(hashBlock, in.Bytes-at)], at)
			h.Write(buf[:n])
			return err
		})
		switch at += int64(n); {
		case errors.Is(err, io.EOF):
			at = in.Bytes // it is shorter than it was: see checkInputs
		case err != nil:
			return sum, fmt.Errorf("read %s: %w", in.Path, err)
		}
	}
	h.Sum(sum[:0])
	return sum, nil
}

// A hashing is the files of a capture, which are hashed while it is decoded.
type hashing struct {
	files  []schema.InputFile
	err    error
	done   chan struct{}
	cancel context.CancelFunc
}

// hashInputs hashes the files the capture is read from: short ones at once, so that it
// shows if they change before they are decoded, and long ones while they are.
func (s *session) hashInputs(ctx context.Context) *hashing {
	if s.window != nil {
		return s.window.hashed(s.inputs)
	}
	ctx, cancel := context.WithCancel(ctx)
	h := &hashing{files: make([]schema.InputFile, len(s.inputs)), done: make(chan struct{}), cancel: cancel}
	rest := func() {
		defer close(h.done)
		for i := range s.inputs {
			if in := &s.inputs[i]; in.long() && h.err == nil {
				h.err = h.add(ctx, i, in, s.tokens)
			}
		}
	}
	for i := range s.inputs {
		if in := &s.inputs[i]; !in.long() && h.err == nil {
			h.err = h.add(ctx, i, in, s.tokens)
		}
	}
	go rest()
	return h
}

// add hashes file i. One that is not hashed to its end has no hash.
func (h *hashing) add(ctx context.Context, i int, in *input, tokens engine.Workers) error {
	sum, err := in.hash(ctx, tokens)
	h.files[i] = schema.InputFile{Path: in.Path, Bytes: in.Bytes}
	if err == nil {
		h.files[i].SHA256 = hex.EncodeToString(sum[:])
	}
	return err
}

// stop ends the hashing, whether or not it has come to its end. The caller of
// hashInputs has to call it.
func (h *hashing) stop() {
	h.cancel()
	<-h.done
}

// wait returns the files once all are hashed.
func (h *hashing) wait() ([]schema.InputFile, error) {
	<-h.done
	return h.files, h.err
}

// long reports whether the file is hashed once only: it takes long to write.
func (in *input) long() bool { return in.opened != nil && in.Bytes > rehashBytes }

// checkInputs fails with a [*ChangedError] if a file of trace data is not as it was
// when it was opened: by its size and time, and a small one, which may be written
// within one tick of the clock, by its hash too, if it has one: an export that is
// interrupted while it hashes says nothing about the file.
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
		if in.long() || s.window != nil || hashed[i].SHA256 == "" {
			continue
		}
		sum, err := in.hash(ctx, s.tokens)
		if err != nil {
			return err
		}
		if hex.EncodeToString(sum[:]) != hashed[i].SHA256 {
			return &ChangedError{in.Path}
		}
	}
	return nil
}
