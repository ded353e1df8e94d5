package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/schema"
)

// An input that is written to while it is exported fails the export, which leaves
// no dataset.
func TestInputWrittenTo(t *testing.T) {
	for _, tt := range []struct {
		name    string
		change  func(t *testing.T, path string, content []byte)
		changed bool
	}{
		{"not at all", func(*testing.T, string, []byte) {}, false},
		{"its last byte", func(t *testing.T, path string, content []byte) {
			content[len(content)-1] ^= 1
			writeFile(t, path, content)
		}, true},
		{"its last byte, at its old time", func(t *testing.T, path string, content []byte) {
			info := statFile(t, path)
			content[len(content)-1] ^= 1
			writeFile(t, path, content)
			if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"one byte more", func(t *testing.T, path string, content []byte) { writeFile(t, path, append(content, 0)) }, true},
		{"all gone", func(t *testing.T, path string, _ []byte) { writeFile(t, path, nil) }, true},
		{"replaced: the old file is read on", func(t *testing.T, path string, _ []byte) {
			writeFile(t, path+".new", []byte("new"))
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			input, dir := sampleSnapshot(t), filepath.Join(t.TempDir(), "run")
			path := filepath.Join(input, "trace.bin")
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			done := false
			_, err = Export(t.Context(), input, dir, Options{Level: schema.LevelBlocks, Workers: 1, Progress: func(Progress) {
				if !done {
					done = true
					tt.change(t, path, content)
				}
			}})
			changed, ok := errors.AsType[*ChangedError](err)
			if ok != tt.changed || !ok && err != nil || ok && changed.Path != "trace.bin" {
				t.Errorf("error %v", err)
			}
			if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) != tt.changed {
				t.Errorf("the dataset: %v", err)
			}
		})
	}
}

// A long file is hashed while it is decoded: with the tokens of workers, and not before
// anything else. A short one is hashed at once.
func TestHashWhileDecoding(t *testing.T) {
	open := func(bytes int64) input {
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
		return input{Input: &capture.Input{Path: "trace.bin", Bytes: bytes, Data: f}, opened: info}
	}
	short := &session{tokens: engine.NewWorkers(1), inputs: []input{open(1000)}}
	h := short.hashInputs(t.Context())
	defer h.stop()
	if h.files[0].Bytes != 1000 || h.files[0].SHA256 == "" {
		t.Error("the short file is not hashed at once")
	}
	s := &session{tokens: engine.NewWorkers(1), inputs: []input{open(rehashBytes + hashBlock/2)}}
	s.tokens <- struct{}{} // a worker computes
	h = s.hashInputs(t.Context())
	defer h.stop()
	select {
	case <-h.done:
		t.Error("the long file was hashed before all else")
	default:
	}
	<-s.tokens
	files, err := h.wait()
	if err != nil {
		t.Fatal(err)
	}
	for i, in := range s.inputs {
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
	s := &session{tokens: engine.NewWorkers(1), inputs: []input{{Input: &capture.Input{Bytes: 1 << 50, Data: f}, opened: info}}}
	s.tokens <- struct{}{} // and none is given back
	h := s.hashInputs(t.Context())
	h.stop()
	if _, err := h.wait(); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// writeFile writes a file in place, as what made it may do again.
func writeFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
}

func statFile(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// A file that was not hashed to its end is no file that changed: an interrupted export that
// goes on keeps what is finished.
func TestInputHashInterrupted(t *testing.T) {
	s, err := openSession(t.Context(), sampleSnapshot(t), sessionOptions{workers: 1})
	check(t, err)
	defer s.close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 200 { // whether a block is hashed is a matter of chance: see workers.compute
		hashing := s.hashInputs(ctx)
		hashing.stop()
		files, _ := hashing.wait()
		if err := s.checkInputs(ctx, files); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}
