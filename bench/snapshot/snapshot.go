// Package snapshot writes Arm snapshot directories, as a debugger leaves them.
//
// Its API is not stable (docs/guide/library.md).
package snapshot

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/schema"
)

// A Snapshot is an Arm snapshot directory (ARM-ECM-0611873): cores, trace
// sources, and the buffers their trace is in. Names must be unique, and none
// may hold a '#' or ';', which begin a comment.
type Snapshot struct {
	Description string
	TimestampHz uint64 // 0: unknown
	Cores       []Core
	Sources     []Source
	Buffers     []Buffer
}

// A Core is a core and the memory it sees.
type Core struct {
	Name  string
	Type  string // as Cortex-A15
	Dumps []Dump
}

// A Dump says which bytes of a file of the directory lie at an address.
type Dump struct {
	File           string
	Address        schema.Address
	Offset, Length uint32
}

// A Source is a trace source, and the core it traces.
type Source struct {
	Name      string
	Type      string // as PTM1.1
	Core      string
	Buffer    string
	Registers []Register
}

// A Buffer is a trace buffer: a file of the directory.
type Buffer struct {
	Name   string
	File   string
	Format string // coresight or source_data
}

// A Register is a trace register and its value in a capture.
type Register struct {
	Name  string
	ID    uint32 // offset / 4
	Value uint32
}

// Files returns the ini files of s by name. The files they name are not among
// them.
func (s *Snapshot) Files() map[string][]byte {
	files := make(map[string][]byte)
	var main, trace strings.Builder
	main.WriteString("[snapshot]\nversion=1.0\n")
	if s.Description != "" {
		fmt.Fprintf(&main, "description=%s\n", s.Description)
	}
	main.WriteString("\n[device_list]\n")
	device := 0
	add := func(name, text string) {
		file := strings.ToLower(name) + ".ini"
		fmt.Fprintf(&main, "device%d=%s\n", device, file)
		files[file] = []byte(text)
		device++
	}
	for i := range s.Cores {
		add(s.Cores[i].Name, s.Cores[i].ini())
	}
	for i := range s.Sources {
		add(s.Sources[i].Name, s.Sources[i].ini())
	}
	main.WriteString("\n[trace]\nmetadata=trace.ini\n")
	files["snapshot.ini"] = []byte(main.String())
	s.writeTrace(&trace)
	files["trace.ini"] = []byte(trace.String())
	return files
}

func (c *Core) ini() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[device]\nname=%s\nclass=core\ntype=%s\n", c.Name, c.Type)
	for i, d := range c.Dumps {
		fmt.Fprintf(&b, "\n[dump%d]\nfile=%s\naddress=0x%08X\noffset=0x%X\nlength=0x%X\n", i, d.File, d.Address, d.Offset,
			d.Length)
	}
	return b.String()
}

func (c *Source) ini() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[device]\nname=%s\nclass=trace_source\ntype=%s\n\n[regs]\n", c.Name, c.Type)
	for _, r := range c.Registers {
		fmt.Fprintf(&b, "%s(0x%03X)=0x%08X\n", r.Name, r.ID, r.Value)
	}
	return b.String()
}

// writeTrace writes trace.ini.
func (s *Snapshot) writeTrace(b *strings.Builder) {
	if s.TimestampHz != 0 {
		fmt.Fprintf(b, "[timestamp]\nfrequency=%d\n\n", s.TimestampHz)
	}
	ids := make([]string, len(s.Buffers))
	for i := range s.Buffers {
		ids[i] = fmt.Sprintf("buffer%d", i)
	}
	fmt.Fprintf(b, "[trace_buffers]\nbuffers=%s\n", strings.Join(ids, ","))
	for i, buffer := range s.Buffers {
		fmt.Fprintf(b, "\n[%s]\nname=%s\nfile=%s\nformat=%s\n", ids[i], buffer.Name, buffer.File, buffer.Format)
	}
	b.WriteString("\n[core_trace_sources]\n")
	for _, source := range s.Sources {
		fmt.Fprintf(b, "%s=%s\n", source.Core, source.Name)
	}
	b.WriteString("\n[source_buffers]\n")
	for _, source := range s.Sources {
		fmt.Fprintf(b, "%s=%s\n", source.Name, source.Buffer)
	}
}

// WriteFiles writes files into dir, which is made if it is not there.
func WriteFiles(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Framed returns a writer of the stream of source id into frames.
func Framed(frames *frame.Writer, id uint8) io.Writer { return framed{frames, id} }

type framed struct {
	frames *frame.Writer
	id     uint8
}

func (f framed) Write(b []byte) (int, error) {
	if err := f.frames.Write(f.id, b); err != nil {
		return 0, err
	}
	return len(b), nil
}
