// Package remake makes the sample's capture from its program and its recording.
package remake

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"encoding/json"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/bench/cost"
	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/encode/pft"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/recording"
	"github.com/tracelake/tracelake/bench/recording/qemu"
	"github.com/tracelake/tracelake/bench/snapshot"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth/digest"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/decode/image"
	codec "github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// The files of the sample beside the capture.
const (
	ELFName       = "sample.elf"
	TraceName     = "trace.bin"
	RecordingName = "recording.txt.gz"
	TruthName     = "truth.json"
)

// Security is the state the program ran in: QEMU's core has no other.
const Security = schema.NonSecure

// endSymbol is the function at which the recording ends: it turns the board off.
const endSymbol = "power_off"

// The clocks of the core as the capture has it.
const (
	coreHz      = 1_000_000_000
	timestampHz = 50_000_000
)

// Options are those of the PTM that made the capture.
func Options() pft.Options {
	return pft.Options{
		Config: codec.Config{
			Minor: 1, CycleAccurate: true, ContextIDBytes: 1, Timestamp64: true, ReturnStack: true,
		},
		Source:           0x10,
		SyncBytes:        1024,
		ReturnStackDepth: 8,
		Timestamps:       true,
		TimestampBase:    90 * timestampHz, // a minute and a half after power-on
		CyclesPerTick:    coreHz / timestampHz,
	}
}

// A Program is the sample's program, loaded.
type Program struct {
	*program.Program
	end   schema.Address // address of endSymbol
	dumps []snapshot.Dump
}

// LoadProgram reads the sample's ELF file.
func LoadProgram(file []byte) (*Program, error) {
	regions, err := image.ReadELF(image.File{
		Name: ELFName, SHA256: sha256.Sum256(file), Data: bytes.NewReader(file), Size: int64(len(file)),
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ELFName, err)
	}
	p := &Program{Program: program.New(image.New(regions...))}
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ELFName, err)
	}
	for _, prog := range f.Progs {
		if prog.Type == elf.PT_LOAD && prog.Filesz > 0 {
			p.dumps = append(p.dumps, snapshot.Dump{
				File: ELFName, Address: schema.Address(prog.Vaddr), Offset: uint32(prog.Off), Length: uint32(prog.Filesz),
			})
		}
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ELFName, err)
	}
	for _, s := range symbols {
		if s.Name == endSymbol {
			p.end = schema.Address(s.Value)
			return p, nil
		}
	}
	return nil, fmt.Errorf("%s: no symbol %s", ELFName, endSymbol)
}

// Record makes the recording from a log of QEMU.
func Record(p *Program, log io.Reader) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	steps := qemu.ReadLog(log, p.Program, Security)
	if err := recording.Write(z, step.Until(steps, p.end)); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Execution is what a recording has, with its costs.
func Execution(p *Program, recorded []byte) (step.Steps, error) {
	z, err := gzip.NewReader(bytes.NewReader(recorded))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", RecordingName, err)
	}
	return new(cost.Model).Apply(recording.Read(z, p.Program, Security)), nil
}

// Capture traces an execution and returns the files of the snapshot directory
// but the ELF file, and the truth. The sample's has [Options].
func Capture(p *Program, steps step.Steps, options pft.Options) (map[string][]byte, *digest.Truth, error) {
	var trace bytes.Buffer
	frames := frame.NewWriter(&trace)
	truth := digest.New(options.Source)
	if err := encode.All(pft.New(snapshot.Framed(frames, options.Source), truth, options), steps); err != nil {
		return nil, nil, err
	}
	if err := frames.Flush(); err != nil {
		return nil, nil, err
	}
	files := describe(p, &options).Files()
	files[TraceName] = trace.Bytes()
	return files, truth.Truth(), nil
}

// TruthText is the truth as JSON, one line a row, so that differences show.
func TruthText(t *digest.Truth) ([]byte, error) {
	b, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	b = bytes.ReplaceAll(b, []byte("{"), []byte("\n{"))
	return append(bytes.TrimSpace(b), '\n'), nil
}

// describe is the directory of the capture.
func describe(p *Program, options *pft.Options) *snapshot.Snapshot {
	return &snapshot.Snapshot{
		Description: "the sample of tracelake: a small program that ran in QEMU, traced by a generator",
		TimestampHz: timestampHz,
		Cores:       []snapshot.Core{{Name: "cpu_0", Type: "Cortex-A15", Dumps: p.dumps}},
		Sources: []snapshot.Source{{
			Name: "PTM_0", Type: "PTM1.1", Core: "cpu_0", Buffer: "ETB_0", Registers: options.Registers(),
		}},
		Buffers: []snapshot.Buffer{{Name: "ETB_0", File: TraceName, Format: "coresight"}},
	}
}
