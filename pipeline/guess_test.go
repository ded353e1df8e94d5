package pipeline

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/pipeline/probe"
	"github.com/tracelake/tracelake/pipeline/probe/identify"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/verdict"
)

// Offered bare, each buffer of trace is read as its snapshot says: protocol, framing,
// and those settings of registers that its packets show (the README of the captures
// has the registers). What to type has it all.
func TestGuess(t *testing.T) {
	need.FullRun(t, everyWay)
	for _, tt := range []struct {
		file      string // below ../shared/captures; "" is the sample
		images    []string
		protocols string // by source
		surest    probe.Confidence
		suggested string // by source, if any
		lines     []string
	}{
		{
			"am243x-r5f-etmv3-freertos-002b37c/tbr.bin", nil, "0x10 etmv3, 0x6f", probe.Certain, "",
			[]string{"tracelake export FILE -o run --protocol etmv3 --framed --source 0x10 -e PROGRAM.elf"},
		},
		{
			"am243x-r5f-etmv3-zephyr-e9185a9/tbr.bin", nil, "0x10 etmv3, 0x6f", probe.Certain, "",
			[]string{"tracelake export FILE -o run --protocol etmv3 --framed --source 0x10 -e PROGRAM.elf"},
		},
		{
			"am243x-r5f-etmv3-threadx-ce42d22/tbr.bin", nil, "0x10 etmv3, 0x6f", probe.Certain, "",
			[]string{"tracelake export FILE -o run --protocol etmv3 --framed --source 0x10 -e PROGRAM.elf"},
		},
		{ // ETMCR 0x10001860, ETMIDR 0x410CF250; the PTM ETMCR 0x10001000
			"opencsd-TC2/cstrace.bin", nil, "0x10 etmv3, 0x11 etmv3, 0x12 etmv3, 0x13 pft", probe.Certain,
			"0x10 ETMCCER[28] ETMCCER[29] ETMCR[12] ETMIDR[7:4], 0x11 ETMCCER[28] ETMCCER[29] ETMCR[12] ETMIDR[7:4], 0x12 ETMCCER[28] ETMCCER[29] ETMCR[12] ETMIDR[7:4], 0x13 ETMCR[12]",
			[]string{
				"tracelake export FILE -o run-etmv3 --protocol etmv3 --framed --source 0x10 --source 0x11 --source 0x12 --reg ETMCCER=0x30000000 --reg ETMCR=0x1000 --reg ETMIDR=0x4104F250 -e PROGRAM.elf",
				"tracelake export FILE -o run-pft --protocol pft --framed --source 0x13 --reg ETMCR=0x1400 -e PROGRAM.elf",
			},
		},
		{ // ETMIDR[20]
			"lpc1769-m3-etmv34-smoothieware/tpiu.bin", nil, "0x02 etmv3", probe.Certain, "0x02 ETMIDR[20]",
			[]string{"tracelake export FILE -o run --protocol etmv3 --framed --source 0x02 --reg ETMIDR=0x4114F240 -e PROGRAM.elf"},
		},
		{ // beside an ITM
			"stm32f105-m3-etmv34-itm-swo/tpiu.bin", nil, "0x01, 0x02 etmv3", probe.Certain, "",
			[]string{"tracelake export FILE -o run --protocol etmv3 --framed --source 0x02 -e PROGRAM.elf"},
		},
		{
			"opencsd-trace_cov_a15/PTM_0_2.bin", nil, "0x00 pft", probe.Likely, "",
			[]string{"tracelake export FILE -o run --protocol pft -e PROGRAM.elf"},
		},
		{
			"opencsd-tc2-ptm-rstk-t32/PTM_0_2.bin", nil, "0x00 pft", probe.Certain, "",
			[]string{"tracelake export FILE -o run --protocol pft -e PROGRAM.elf"},
		},
		{ // ETMCR[29], which only the program shows
			"opencsd-tc2-ptm-rstk-t32/PTM_0_2.bin", rstkMemory(t), "0x00 pft", probe.Certain, "0x00 ETMCR[29]",
			[]string{"tracelake export FILE -o run --protocol pft --reg ETMCR=0x20000400 --image IMAGE0 --image IMAGE1"},
		},
		{ // of six trace units one sends
			"etm4-juno-uname-002/trace.bin", nil, "0x16 etmv4", probe.Likely, "",
			[]string{"tracelake export FILE -o run --protocol etmv4 --framed --source 0x16 -e PROGRAM.elf"},
		},
		{ // TRCCONFIGR 0x11
			"ete-src_addr/session1.bin", nil, "0x00 ete", probe.Likely, "0x00 TRCCONFIGR[4]",
			[]string{"tracelake export FILE -o run --protocol ete --reg TRCCONFIGR=0x11 -e PROGRAM.elf"},
		},
		{ // TRCCONFIGR 0x8801, TRCDEVARCH 0x47715A13: nothing in it is of an ETE alone
			"ete-ts_marker/session1.bin", nil, "0x00 etmv4", probe.Uncertain, "0x00 TRCCONFIGR[11] TRCIDR1[7:4]",
			[]string{"tracelake export FILE -o run --protocol etmv4 --reg TRCCONFIGR=0x801 --reg TRCIDR1=0x4100F463 -e PROGRAM.elf"},
		},
		{ // ETMCR 0x30005000
			"", nil, "0x10 pft", probe.Certain, "0x10 ETMCR[12] ETMCR[15:14]",
			[]string{"tracelake export FILE -o run --protocol pft --framed --source 0x10 --reg ETMCR=0x5400 -e PROGRAM.elf"},
		},
	} {
		t.Run(tt.file, func(t *testing.T) {
			file := ""
			if tt.file == "" {
				file = filepath.Join(sampleSnapshot(t), "trace.bin")
			} else {
				file = shared.File(t, "captures/"+tt.file)
			}
			in, err := Inspect(t.Context(), file, capture.Options{Images: tt.images})
			if err != nil {
				t.Fatal(err)
			}
			protocols, suggested := guessedWords(in)
			if protocols != tt.protocols || suggested != tt.suggested || in.Guess.Confidence != tt.surest {
				t.Errorf("%s; %s; %s\nwant %s; %s; %s", protocols, suggested, in.Guess.Confidence, tt.protocols, tt.suggested, tt.surest)
			}
			names := []string{"FILE", identify.Quote(file)}
			for i, image := range tt.images {
				names = append(names, "IMAGE"+string(rune('0'+i)), identify.Quote(image))
			}
			for i := range tt.lines {
				tt.lines[i] = strings.NewReplacer(names...).Replace(tt.lines[i])
			}
			if !slices.Equal(in.Lines, tt.lines) {
				t.Errorf("got  %q\nwant %q", in.Lines, tt.lines)
			}
		})
	}
}

// guessedWords lists the sources with their protocols, and those with suggestions with
// the fields, by name.
func guessedWords(in *probe.Inspection) (protocols, suggested string) {
	var all, some []string
	for i := range in.Sources {
		s := &in.Sources[i]
		all = append(all, strings.TrimSpace(s.Source+" "+s.Protocol))
		var fields []string
		for _, x := range s.Suggested {
			fields = append(fields, x.Register)
		}
		if slices.Sort(fields); len(fields) > 0 {
			some = append(some, s.Source+" "+strings.Join(fields, " "))
		}
	}
	return strings.Join(all, ", "), strings.Join(some, ", ")
}

// With the program that ran, what a bare buffer is read as is all right; with another
// one it is read in the same way, and contradicted.
func TestGuessWithProgram(t *testing.T) {
	need.FullRun(t, everyWay)
	for _, tt := range []struct {
		file, program string
		source        string
		word          verdict.Word
		instructions  int64
	}{
		{"am243x-r5f-etmv3-freertos-002b37c/tbr.bin", "am243x-r5f-etmv3-freertos-002b37c/freertos.elf", "0x10", verdict.Good, 232_204},
		{"am243x-r5f-etmv3-threadx-ce42d22/tbr.bin", "am243x-r5f-etmv3-threadx-002b37c/threadx.elf", "0x10", verdict.WrongProgram, 13_672},
		{"stm32f105-m3-etmv34-itm-swo/tpiu.bin", "stm32f105-m3-etmv34-itm-swo/trace_example.elf", "0x02", verdict.GoodWithGaps, 1_200},
	} {
		file, program := shared.File(t, "captures/"+tt.file), shared.File(t, "captures/"+tt.program)
		in, err := Inspect(t.Context(), file, capture.Options{ELFs: []string{program}})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(in.Sources, func(s probe.SourceInspection) bool { return s.Source == tt.source })
		s := in.Sources[i].Sample
		if *s.Verdict != tt.word || s.Instructions != tt.instructions || in.Guess.Confidence != probe.Certain {
			t.Errorf("%s: %s, %d instructions, %s, want %s, %d", tt.file, *s.Verdict, s.Instructions, in.Guess.Confidence, tt.word, tt.instructions)
		}
	}
}

// No other file of the captures is taken for trace.
func TestGuessNothing(t *testing.T) {
	need.FullRun(t, everyWay)
	root := shared.File(t, "captures")
	trace := []string{
		"tbr.bin", "tpiu.bin", "cstrace.bin", "PTM_0_2.bin", "trace.bin", "session1.bin",
		"02.bin.gz", "10.bin.gz", "11.bin.gz", "12.bin.gz", "13.bin.gz", "15.bin.gz", "16.bin.gz",
	}
	files, every := 0, need.Size(12, 1)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || slices.Contains(trace, d.Name()) || d.Name() == "snapshot.ini" {
			return err
		}
		if files++; files%every > 0 {
			return nil
		}
		in, err := Inspect(t.Context(), path, capture.Options{})
		switch {
		case err != nil:
			return err
		case in.Found == nil && len(in.Sources) > 0:
			t.Errorf("%s is taken for trace: %+v", path, in.Guess)
		case in.Found == nil && in.Guess.Confidence != probe.NoGuess:
			t.Errorf("%s: %s", path, in.Guess.Confidence)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 50 {
		t.Errorf("%d files", files)
	}
}

// A program that no protocol which the trace may be of can have is what is wrong.
func TestGuessOtherMachine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := sample.Extract(dir); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "aarch64.elf")
	header := elf.Header64{
		Ident: [16]byte{0x7F, 'E', 'L', 'F', 2, 1, 1}, Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_AARCH64), Version: 1,
		Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 1,
	}
	segment := elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_X), Off: 120, Vaddr: 0x40008000, Filesz: 4, Memsz: 4}
	file := bytes.NewBuffer(nil)
	for _, part := range []any{header, segment, []byte("code")} {
		if err := binary.Write(file, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(program, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Inspect(t.Context(), filepath.Join(dir, "trace.bin"), capture.Options{ELFs: []string{program}})
	if !errors.Is(err, capture.ErrAArch32) {
		t.Errorf("error %v, want that the program is of AArch64", err)
	}
}

// A source of frames that is of no known protocol is counted in bytes, as all are there.
func TestGuessUnread(t *testing.T) {
	need.FullRun(t, everyWay)
	t.Parallel()
	dir := t.TempDir()
	if err := sample.Extract(dir); err != nil {
		t.Fatal(err)
	}
	trace, err := os.ReadFile(filepath.Join(dir, "trace.bin"))
	if err != nil {
		t.Fatal(err)
	}
	const id = 0x21
	other := append([]byte{id<<1 | 1}, bytes.Repeat([]byte{0x55, 0x54}, 7)...)
	file := filepath.Join(dir, "two.bin")
	if err := os.WriteFile(file, append(trace, bytes.Repeat(append(other, 0), 20)...), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := Inspect(t.Context(), file, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(in.Sources) != 2 || in.Sources[1].Source != "0x21" || in.Sources[1].Bytes != 20*14 || in.Sources[1].Unit != "bytes" {
		t.Errorf("sources %+v", in.Sources)
	}
}

// Frames that do not begin at the start of the file, and what is said of a file.
func TestGuessFrameOffset(t *testing.T) {
	need.FullRun(t, everyWay)
	t.Parallel()
	dir := t.TempDir()
	if err := sample.Extract(dir); err != nil {
		t.Fatal(err)
	}
	trace, err := os.ReadFile(filepath.Join(dir, "trace.bin"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "cut.bin")
	if err := os.WriteFile(file, trace[5:], 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := Inspect(t.Context(), file, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := "tracelake export " + identify.Quote(file) + " -o run --protocol pft --framed --frame-offset 11 --source 0x10 --reg ETMCR=0x5400 -e PROGRAM.elf"
	if !slices.Equal(in.Lines, []string{want}) {
		t.Errorf("got  %q\nwant %q", in.Lines, want)
	}
	if v := in.Sources[0].Sample; *v.Verdict != verdict.PacketsOnly || !v.Reading.Fine() {
		t.Errorf("%s %+v", *v.Verdict, v.Reading)
	}
	_, err = Export(t.Context(), file, filepath.Join(dir, "out"), Options{Workers: 1, Level: schema.LevelBlocks, Capture: capture.Options{
		Protocol: "pft", Framed: true, FrameOffset: new(int64(11)), Regs: []string{"ETMCR=0x5400"}, ELFs: []string{filepath.Join(dir, sample.ELF)},
	}})
	if err != nil {
		t.Error(err)
	}
}
