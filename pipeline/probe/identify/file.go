package identify

import (
	"bytes"
	"debug/elf"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// manifestName is the file that makes a directory a dataset.
const manifestName = "manifest.json"

// file says what a file is by its first bytes.
func file(path string, head []byte) *Finding {
	for _, sniff := range []func(string, []byte) *Finding{program, ofDataset, ini, recording, foreign, text, foreignTrace} {
		if f := sniff(path, head); f != nil {
			return f
		}
	}
	return &Finding{Kind: Unknown, What: unknownFile}
}

// program knows program files.
func program(path string, head []byte) *Finding {
	const give = "it is a program, not a capture: give it together with the trace of its execution"
	line := "tracelake export CAPTURE -o run -e " + Quote(path)
	switch {
	case bytes.HasPrefix(head, []byte(elf.ELFMAG)):
		f := &Finding{Kind: Program, What: elfWords(head), Do: give, Lines: []string{line}}
		if armWords(head) == "" {
			f.Do, f.Lines = "only programs of Arm can be followed", nil
		}
		return f
	case isHexText(head, ':', 11):
		return converted(path, "a program in Intel hex", "ihex")
	case isHexText(head, 'S', 10):
		return converted(path, "a program in S-records", "srec")
	}
	return nil
}

// converted is a program that objcopy makes an ELF file of.
func converted(path, what, format string) *Finding {
	return &Finding{
		Kind: Program, What: what, Do: "make an ELF file of it, and give that together with the trace of its execution",
		Lines: []string{
			fmt.Sprintf("objcopy -I %s -O elf32-littlearm %s program.elf", format, Quote(path)),
			"tracelake export CAPTURE -o run -e program.elf",
		},
	}
}

// isHexText reports whether the first line is a record: its mark, then hex digits,
// at least so many bytes.
func isHexText(head []byte, mark byte, least int) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	line = bytes.TrimRight(line, "\r")
	if len(line) < least || line[0] != mark {
		return false
	}
	return len(bytes.Trim(line[1:], "0123456789ABCDEFabcdef")) == 0
}

// The fields of an ELF header that say what it is of.
const (
	elfClass, elfData   = 4, 5
	elfMachine, elfNeed = 18, 20
)

// armWords says of which Arm machine an ELF file is, "" if it is of another.
func armWords(head []byte) string {
	if len(head) < elfNeed {
		return ""
	}
	switch class := elf.Class(head[elfClass]); {
	case class == elf.ELFCLASS32 && machine(head) == elf.EM_ARM:
		return "32-bit Arm"
	case class == elf.ELFCLASS64 && machine(head) == elf.EM_AARCH64:
		return "AArch64"
	case class == elf.ELFCLASS32 && machine(head) == elf.EM_AARCH64:
		return "AArch64, ILP32"
	}
	return ""
}

func machine(head []byte) elf.Machine {
	low, high := head[elfMachine], head[elfMachine+1]
	if elf.Data(head[elfData]) == elf.ELFDATA2MSB {
		low, high = high, low
	}
	return elf.Machine(uint16(high)<<8 | uint16(low))
}

func elfWords(head []byte) string {
	switch {
	case len(head) < elfNeed:
		return "the start of an ELF file"
	case armWords(head) != "":
		return "an ELF file of " + armWords(head)
	}
	return fmt.Sprintf("an ELF file of %s, %s", machine(head), elf.Class(head[elfClass]))
}

// ofDataset knows the files of a dataset.
func ofDataset(path string, head []byte) *Finding {
	dir := filepath.Dir(path)
	switch {
	case filepath.Base(path) == manifestName && bytes.Contains(head, []byte(`"schema_version"`)):
		f := datasetDir(dir)
		f.What = "the manifest of a dataset"
		return f
	case bytes.HasPrefix(head, []byte("PAR1")), bytes.HasPrefix(head, []byte("ARROW1")):
		f := &Finding{
			Kind: Foreign, What: "a table in Parquet or Arrow",
			Do: "it is no capture: DuckDB, Polars and pandas read it",
		}
		if up := filepath.Dir(dir); exists(filepath.Join(up, manifestName)) {
			f = datasetDir(up)
			f.What = "a table of the dataset in " + up
		}
		return f
	}
	return nil
}

// datasetDir is a directory that holds a dataset. Of what was executed there are answers if it was counted.
func datasetDir(path string) *Finding {
	f := &Finding{
		Kind: Dataset, What: "a dataset, which export wrote", Do: "it is decoded already",
		Lines: []string{"tracelake verify " + Quote(path)},
	}
	if exists(filepath.Join(path, "counts")) {
		f.Lines = append(f.Lines, "tracelake report coverage "+Quote(path))
	}
	f.Lines = append(f.Lines, "duckdb -init "+Quote(filepath.Join(path, "views.sql")))
	return f
}

// ini knows the ini files of snapshots.
func ini(path string, head []byte) *Finding {
	sections := iniSections(head)
	f := &Finding{
		Kind: Part, Do: "give the directory of the snapshot",
		Lines: []string{"tracelake inspect " + Quote(filepath.Dir(path))},
	}
	switch {
	case sections["snapshot"], sections["device_list"]:
		return &Finding{Kind: Snapshot, What: "the ini file of a snapshot"}
	case sections["device"]:
		f.What = "the ini file of a device of a snapshot"
	case sections["trace_buffers"]:
		f.What = "the ini file of the trace of a snapshot"
	default:
		return nil
	}
	return f
}

// iniSections are the sections that the first lines of a text have, in lower case.
func iniSections(head []byte) map[string]bool {
	sections := map[string]bool{}
	if !isText(head) {
		return sections
	}
	for line := range strings.Lines(string(bytes.TrimPrefix(head, []byte("\ufeff")))) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "[")
		if name, _, closed := strings.Cut(name, "]"); ok && closed {
			sections[strings.ToLower(strings.TrimSpace(name))] = true
		}
	}
	return sections
}

// magics are the first bytes of files of other tools.
var magics = []struct {
	magic string
	at    int
	what  string
	do    string
}{
	{"2ELIFREP", 0, "a recording of Linux perf (perf.data), big-endian", "only little-endian ones are read"},
	{"\x50\x4b\x03\x04", 0, "a ZIP archive", "unpack it, and give the capture in it"},
	{"ustar", 257, "a tar archive", "unpack it, and give the capture in it"},
	{"\xfd7zXZ\x00", 0, "a file compressed with xz", "unpack it with xz -d; gzip and zstd are read as they are"},
	{"BZh", 0, "a file compressed with bzip2", "unpack it with bzip2 -d; gzip and zstd are read as they are"},
	{"7z\xbc\xaf\x27\x1c", 0, "a 7-Zip archive", "unpack it, and give the capture in it"},
	{"\x04\x22\x4d\x18", 0, "a file compressed with lz4", "unpack it with lz4 -d; gzip and zstd are read as they are"},
	{"\xd4\xc3\xb2\xa1", 0, "a recording of network packets (pcap)", notTrace},
	{"\xa1\xb2\xc3\xd4", 0, "a recording of network packets (pcap)", notTrace},
	{"\x0a\x0d\x0d\x0a", 0, "a recording of network packets (pcapng)", notTrace},
	{"\xc1\x1f\xfc\xc1", 0, "a trace in CTF", notTrace},
	{"SQLite format 3\x00", 0, "a database of SQLite", notTrace},
	{"DUCK", 8, "a database of DuckDB", notTrace},
	{"%PDF-", 0, "a PDF document", notTrace},
	{"\x89PNG", 0, "a picture", notTrace},
	{"\xff\xd8\xff", 0, "a picture", notTrace},
	{"\x7fCGC", 0, "a program of another machine", notTrace},
	{"MZ", 0, "a program of Windows", notTrace},
	{"\xcf\xfa\xed\xfe", 0, "a program of macOS", notTrace},
	{"!<arch>\n", 0, "a library of object files", "give the program that was linked with it"},
}

const notTrace = "it is no trace: give a snapshot directory or a raw file"

// recording knows recordings of perf.
func recording(_ string, head []byte) *Finding {
	if !bytes.HasPrefix(head, []byte("PERFILE2")) {
		return nil
	}
	return &Finding{Kind: Recording, What: "a recording of Linux perf (perf.data)"}
}

// foreign knows files of other tools.
func foreign(_ string, head []byte) *Finding {
	for _, m := range magics {
		if len(head) >= m.at && bytes.HasPrefix(head[m.at:], []byte(m.magic)) {
			return &Finding{Kind: Foreign, What: m.what, Do: m.do}
		}
	}
	return nil
}

// text knows text, which no raw trace is.
func text(_ string, head []byte) *Finding {
	if !isText(head) {
		return nil
	}
	f := &Finding{Kind: Foreign, What: "a text file", Do: notTrace}
	trimmed := bytes.TrimSpace(head)
	switch {
	case bytes.HasPrefix(trimmed, []byte("{")), bytes.HasPrefix(trimmed, []byte("[")):
		f.What = "a text file, perhaps JSON"
	case len(bytes.Trim(trimmed, "0123456789ABCDEFabcdefx, \t\r\n")) == 0:
		f.What, f.Do = "a text of hexadecimal digits", "make bytes of it (xxd -r -p), and give those"
	}
	return f
}

// leastText is how many bytes make a text: fewer may be anything.
const leastText = 4

// isText reports whether the bytes are UTF-8 without control characters, save for a
// character cut off at the end.
func isText(head []byte) bool {
	if len(head) < leastText {
		return false
	}
	for i := 0; i < len(head); {
		r, n := utf8.DecodeRune(head[i:])
		cutOff := len(head)-i < utf8.UTFMax && !utf8.FullRune(head[i:])
		if r == utf8.RuneError && n == 1 && !cutOff || r < ' ' && !strings.ContainsRune("\t\r\n\f", r) || r == 0x7f {
			return false
		}
		i += n
	}
	return true
}

// Quote writes a path so that a shell reads it as one word.
func Quote(path string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./@%+=:,"
	if path != "" && strings.Trim(path, plain) == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
