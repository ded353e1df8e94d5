// The program make writes what a program executed, and as much of the program as that needs: see
// record.sh.
package main

import (
	"bytes"
	"compress/gzip"
	"debug/elf"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/recording"
	"github.com/tracelake/tracelake/bench/recording/calls"
	"github.com/tracelake/tracelake/bench/recording/qemu"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

func main() {
	from := flag.String("elf", "", "`file` of the program")
	log := flag.String("log", "", "`file` that QEMU wrote")
	to := flag.String("to", "", "what the names of files begin with that are written")
	flag.Parse()
	if err := run(*from, *log, *to); err != nil {
		fmt.Fprintln(os.Stderr, "make:", err)
		os.Exit(1)
	}
}

func run(from, log, to string) error {
	code, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	memory, err := calls.Memory(code)
	if err != nil {
		return err
	}
	f, err := os.Open(log)
	if err != nil {
		return err
	}
	defer f.Close()
	executed := map[schema.Address]bool{}
	var text bytes.Buffer
	steps := withKernel(qemu.ReadUserLog(f, program.New(image.New(memory...))), executed)
	if err := recording.Write(&text, steps); err != nil {
		return fmt.Errorf("%s: %w", log, err)
	}
	small, err := reduced(from, code, executed)
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{to + ".txt.gz": text.Bytes(), to + ".elf.gz": small} {
		if err := writeZipped(name, data); err != nil {
			return err
		}
	}
	return nil
}

func writeZipped(name string, data []byte) error {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}

// withKernel has the kernel traced, and notes which instructions were executed.
func withKernel(steps step.Steps, executed map[schema.Address]bool) step.Steps {
	return func(yield func(step.Step, error) bool) {
		for s, err := range steps {
			if err == nil && !s.Entered {
				executed[s.At.Address] = true
			}
			s.Trace = step.Traced
			if !yield(s, err) {
				return
			}
		}
	}
}

// reduced returns the ELF file with the symbols and the code of those functions alone that were
// executed, and without data.
func reduced(name string, code []byte, executed map[schema.Address]bool) ([]byte, error) {
	f, err := elf.NewFile(bytes.NewReader(code))
	if err != nil {
		return nil, err
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	used := map[schema.Address]bool{} // bytes
	strip := []string{"--strip-all", "-K$a", "-K$t", "-K$d"}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC {
			continue
		}
		from := schema.Address(s.Value) &^ 1
		to := from + max(schema.Address(s.Size), 2) // some in assembler have no size
		if slices.ContainsFunc(addresses(from, to), func(a schema.Address) bool { return executed[a] }) {
			strip = append(strip, "-K"+s.Name)
			for a := from; a < to; a++ {
				used[a] = true
			}
		}
	}
	for a := range executed {
		for i := range schema.Address(4) {
			used[a+i] = true
		}
	}
	for _, s := range f.Sections {
		if s.Type == elf.SHT_PROGBITS && s.Flags&elf.SHF_ALLOC != 0 {
			for i := range s.FileSize {
				if !used[schema.Address(s.Addr+i)] {
					code[s.Offset+i] = 0
				}
			}
		}
	}
	dir, err := os.MkdirTemp("", "calls")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "reduced")
	if err := os.WriteFile(out, code, 0o644); err != nil {
		return nil, err
	}
	if text, err := exec.Command("arm-linux-gnueabihf-strip", append(strip, out)...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", name, err, text)
	}
	return os.ReadFile(out)
}

// addresses are those of halfwords.
func addresses(from, to schema.Address) (all []schema.Address) {
	for a := from; a < to; a += 2 {
		all = append(all, a)
	}
	return all
}
