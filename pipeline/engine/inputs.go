package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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

// An Input is a file that a capture is read from, as it was when that was opened.
type Input struct {
	*capture.Input
	Opened fs.FileInfo // of a file of trace data, else nil
}

// Inputs are the files of a capture.
type Inputs []Input

// InputsOf returns the files of a capture that was just opened.
func InputsOf(c *capture.Capture) (Inputs, error) {
	var inputs Inputs
	for _, in := range c.Inputs {
		x := Input{Input: in}
		if in.Data != nil {
			var err error
			if x.Opened, err = in.Data.Stat(); err != nil {
				return nil, fmt.Errorf("read %s: %w", in.Path, err)
			}
		}
		inputs = append(inputs, x)
	}
	return inputs, nil
}

// hashBlock is how much of a file is hashed by a worker at a time.
const hashBlock = 1 << 20

// hash returns the SHA-256 of the file. It computes with workers.
func (in *Input) hash(ctx context.Context, workers Workers) ([sha256.Size]byte, error) {
	sum := in.SHA256
	if in.Opened == nil {
		return sum, nil
	}
	h, buf := sha256.New(), make([]byte, hashBlock)
	for at := int64(0); at < in.Bytes; {
		var n int
		err := workers.Compute(ctx, func() (err error) {
			n, err = in.Data.ReadAt(buf[:min(hashBlock, in.Bytes-at)], at)
			h.Write(buf[:n])
			return err
		})
		switch at += int64(n); {
		case errors.Is(err, io.EOF):
			at = in.Bytes // it is shorter than it was: see Check
		case err != nil:
			return sum, fmt.Errorf("read %s: %w", in.Path, err)
		}
	}
	h.Sum(sum[:0])
	return sum, nil
}

// A Hashing is the files of a capture, which are hashed while it is decoded.
type Hashing struct {
	Files []schema.InputFile // once they are hashed: see Wait

	inputs  Inputs
	workers Workers
	given   bool // the hashes are not computed, but given
	err     error
	done    chan struct{}
	cancel  context.CancelFunc
}

// Given returns a hashing of files that have those hashes.
func (inputs Inputs) Given(files []schema.InputFile) *Hashing {
	h := &Hashing{Files: files, inputs: inputs, given: true, done: make(chan struct{}), cancel: func() {}}
	close(h.done)
	return h
}

// Hash hashes the files the capture is read from: short ones at once, so that it
// shows if they change before they are decoded, and long ones while they are.
func (inputs Inputs) Hash(ctx context.Context, workers Workers) *Hashing {
	ctx, cancel := context.WithCancel(ctx)
	h := &Hashing{
		Files: make([]schema.InputFile, len(inputs)), inputs: inputs, workers: workers,
		done: make(chan struct{}), cancel: cancel,
	}
	h.hash(ctx, func(in *Input) bool { return !in.long() })
	go func() {
		defer close(h.done)
		h.hash(ctx, (*Input).long)
	}()
	return h
}

// hash hashes some files, up to one that cannot be. One that is not hashed to its end has no hash.
func (h *Hashing) hash(ctx context.Context, these func(*Input) bool) {
	for i := range h.inputs {
		in := &h.inputs[i]
		if !these(in) || h.err != nil {
			continue
		}
		sum, err := in.hash(ctx, h.workers)
		h.Files[i] = schema.InputFile{Path: in.Path, Bytes: in.Bytes}
		if h.err = err; err == nil {
			h.Files[i].SHA256 = hex.EncodeToString(sum[:])
		}
	}
}

// Stop ends the hashing, whether or not it has come to its end. The caller of
// [Inputs.Hash] has to call it.
func (h *Hashing) Stop() {
	h.cancel()
	<-h.done
}

// Wait returns the files once all are hashed.
func (h *Hashing) Wait() ([]schema.InputFile, error) {
	<-h.done
	return h.Files, h.err
}

// rehashBytes is how long a file of trace data may be to be hashed again after it
// was read: longer ones take long to write.
const rehashBytes = 64 << 20

// long reports whether the file is hashed once only: it takes long to write.
func (in *Input) long() bool { return in.Opened != nil && in.Bytes > rehashBytes }

// Check fails with a [*ChangedError] if a file of trace data is not as it was
// when it was opened: by its size and time, and a small one, which may be written
// within one tick of the clock, by its hash too, if it has one: an export that is
// interrupted while it hashes says nothing about the file.
func (h *Hashing) Check(ctx context.Context) error {
	for i := range h.inputs {
		in := &h.inputs[i]
		if in.Opened == nil {
			continue
		}
		now, err := in.Data.Stat()
		if err != nil {
			return fmt.Errorf("read %s: %w", in.Path, err)
		}
		if now.Size() != in.Opened.Size() || !now.ModTime().Equal(in.Opened.ModTime()) {
			return &ChangedError{in.Path}
		}
		if in.long() || h.given || h.Files[i].SHA256 == "" {
			continue
		}
		sum, err := in.hash(ctx, h.workers)
		if err != nil {
			return err
		}
		if hex.EncodeToString(sum[:]) != h.Files[i].SHA256 {
			return &ChangedError{in.Path}
		}
	}
	return nil
}
