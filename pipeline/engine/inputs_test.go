package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/decode/capture"
)

// A long file is hashed while it is decoded: by a worker, and not before
// anything else. A short one is hashed at once.
func TestHashWhileDecoding(t *testing.T) {
	open := func(bytes int64) Inputs {
		f, err := os.Create(filepath.Join(t.TempDir(), "trace.bin"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		if _, err := f.WriteAt([]byte{1}, bytes-1); err != nil {
			t.Fatal(err)
		}
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		return Inputs{{Input: &capture.Input{Path: "trace.bin", Bytes: bytes, Data: f}, Opened: info}}
	}
	h := open(1000).Hash(t.Context(), NewWorkers(1))
	defer h.Stop()
	if h.Files[0].Bytes != 1000 || h.Files[0].SHA256 == "" {
		t.Error("the short file is not hashed at once")
	}
	inputs, workers := open(rehashBytes+hashBlock/2), NewWorkers(1)
	workers <- struct{}{} // it computes
	h = inputs.Hash(t.Context(), workers)
	defer h.Stop()
	select {
	case <-h.done:
		t.Error("the long file was hashed before all else")
	default:
	}
	<-workers
	files, err := h.Wait()
	if err != nil {
		t.Fatal(err)
	}
	for i, in := range inputs {
		sum := sha256.New()
		if _, err := io.Copy(sum, io.NewSectionReader(in.Data, 0, in.Bytes)); err != nil {
			t.Fatal(err)
		}
		if want := hex.EncodeToString(sum.Sum(nil)); files[i].SHA256 != want || files[i].Bytes != in.Bytes {
			t.Errorf("%+v, want %s", files[i], want)
		}
	}
}

// Hashing ends when nobody needs the hashes any more.
func TestHashStops(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "trace.bin"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	inputs, workers := Inputs{{Input: &capture.Input{Bytes: 1 << 50, Data: f}, Opened: info}}, NewWorkers(1)
	workers <- struct{}{} // and it never ends
	h := inputs.Hash(t.Context(), workers)
	h.Stop()
	if _, err := h.Wait(); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// A file that was not hashed to its end is no file that changed: an interrupted export that
// goes on keeps what is finished.
func TestHashInterrupted(t *testing.T) {
	name := filepath.Join(t.TempDir(), "trace.bin")
	if err := os.WriteFile(name, make([]byte, 1000), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	inputs := Inputs{{Input: &capture.Input{Path: "trace.bin", Bytes: 1000, Data: f}, Opened: info}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 200 { // whether a block is hashed is a matter of chance: see Workers.Compute
		h := inputs.Hash(ctx, NewWorkers(1))
		h.Stop()
		if err := h.Check(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}
