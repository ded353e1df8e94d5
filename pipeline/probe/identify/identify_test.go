package identify_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline/probe/identify"
)

// elfHeader is the start of an ELF file.
func elfHeader(class elf.Class, data elf.Data, machine elf.Machine) string {
	h := make([]byte, 64)
	copy(h, elf.ELFMAG)
	h[4], h[5] = byte(class), byte(data)
	binary.LittleEndian.PutUint16(h[18:], uint16(machine))
	if data == elf.ELFDATA2MSB {
		binary.BigEndian.PutUint16(h[18:], uint16(machine))
	}
	return string(h)
}

// A file is known by its content, whatever its name is.
func TestFiles(t *testing.T) {
	for _, tt := range []struct {
		name, content string
		kind          identify.Kind
		what          string // how it begins
		line          string // the first to type; FILE and DIR are its path and folder
	}{
		{"a", "", identify.Empty, "an empty file", ""},
		{"a", elfHeader(elf.ELFCLASS32, elf.ELFDATA2LSB, elf.EM_ARM), identify.Program, "an ELF file of 32-bit Arm", "tracelake export CAPTURE -o run -e FILE"},
		{"a", elfHeader(elf.ELFCLASS32, elf.ELFDATA2MSB, elf.EM_ARM), identify.Program, "an ELF file of 32-bit Arm", "tracelake export CAPTURE -o run -e FILE"},
		{"a", elfHeader(elf.ELFCLASS64, elf.ELFDATA2LSB, elf.EM_AARCH64), identify.Program, "an ELF file of AArch64", "tracelake export CAPTURE -o run -e FILE"},
		{"a", elfHeader(elf.ELFCLASS64, elf.ELFDATA2MSB, elf.EM_AARCH64), identify.Program, "an ELF file of AArch64", "tracelake export CAPTURE -o run -e FILE"},
		{"a", elfHeader(elf.ELFCLASS32, elf.ELFDATA2LSB, elf.EM_AARCH64), identify.Program, "an ELF file of AArch64, ILP32", "tracelake export CAPTURE -o run -e FILE"},
		{"a", elfHeader(elf.ELFCLASS64, elf.ELFDATA2LSB, elf.EM_ARM), identify.Program, "an ELF file of EM_ARM, ELFCLASS64", ""},
		{"a", elfHeader(elf.ELFCLASS64, elf.ELFDATA2LSB, elf.EM_X86_64), identify.Program, "an ELF file of EM_X86_64, ELFCLASS64", ""},
		{"a", elf.ELFMAG, identify.Program, "the start of an ELF file", ""},
		{"fw.hex", ":10010000214601360121470136007EFE09D2190140\r\n", identify.Program, "a program in Intel hex", "objcopy -I ihex -O elf32-littlearm FILE program.elf"},
		{"a", "S00F000068656C6C6F202020202000003C\n", identify.Program, "a program in S-records", "objcopy -I srec -O elf32-littlearm FILE program.elf"},
		{"a.ini", "; made by DS-5\n[snapshot]\nversion=1.0\n", identify.Snapshot, "the ini file of a snapshot", ""},
		{"a", "\ufeff[device_list]\ndevice0=cpu.ini\n", identify.Snapshot, "the ini file of a snapshot", ""},
		{"a", "[device]\nname=cpu_0\n", identify.Part, "the ini file of a device of a snapshot", "tracelake inspect DIR"},
		{"a", "[Trace_Buffers]\nbuffers=buffer0\n", identify.Part, "the ini file of the trace of a snapshot", "tracelake inspect DIR"},
		{"a", "[other]\nkey=value\n", identify.Foreign, "a text file", ""},
		{"manifest.json", "{\n  \"schema_version\": 2,\n", identify.Dataset, "the manifest of a dataset", "tracelake verify DIR"},
		{"a.parquet", "PAR1\x00\x00", identify.Foreign, "a table in Parquet or Arrow", ""},
		{"a", "PERFILE2\x68\x00", identify.Recording, "a recording of Linux perf", ""},
		{"a", "2ELIFREP\x00", identify.Foreign, "a recording of Linux perf (perf.data), big-endian", ""},
		{"a", "PK\x03\x04\x14\x00", identify.Foreign, "a ZIP archive", ""},
		{"a", strings.Repeat("x", 257) + "ustar\x0000", identify.Foreign, "a tar archive", ""},
		{"a", "\xfd7zXZ\x00\x00", identify.Foreign, "a file compressed with xz", ""},
		{"a", "\xd4\xc3\xb2\xa1\x02\x00", identify.Foreign, "a recording of network packets (pcap)", ""},
		{"a", "SQLite format 3\x00", identify.Foreign, "a database of SQLite", ""},
		{"a", "{\"a\": 1}\n", identify.Foreign, "a text file, perhaps JSON", ""},
		{"a", "00 00 00 00 00 80 08\n", identify.Foreign, "a text of hexadecimal digits", ""},
		{"a", "naïve text, cut off in a character: " + "\xc3", identify.Foreign, "a text file", ""},
		{"a", "\x00\x00\x00\x00\x00\x80\x08\x00\x10\x00\x00\x29", identify.Unknown, "a file of no known format", ""},
		{"a", "abc", identify.Unknown, "a file of no known format", ""},
		{"a", "text\x00", identify.Unknown, "a file of no known format", ""},
		{"it's.elf", elfHeader(elf.ELFCLASS32, elf.ELFDATA2LSB, elf.EM_ARM), identify.Program, "an ELF file of 32-bit Arm", "tracelake export CAPTURE -o run -e 'DIR/it'\\''s.elf'"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, tt.name)
		if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := identify.Path(path)
		if err != nil {
			t.Fatal(err)
		}
		line := ""
		if len(f.Lines) > 0 {
			line = f.Lines[0]
		}
		want := strings.NewReplacer("FILE", path, "DIR", dir).Replace(tt.line)
		if f.Kind != tt.kind || !strings.HasPrefix(f.What, tt.what) || line != want {
			t.Errorf("%.20q: %s, %q, %q\nwant %s, %q, %q", tt.content, f.Kind, f.What, line, tt.kind, tt.what, want)
		}
	}
}

// A directory is a snapshot, a dataset, or holds some; else its files may be raw.
func TestDirectories(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		kind  identify.Kind
		what  string
		lines []string
	}{
		{"a snapshot", map[string]string{"snapshot.ini": "[snapshot]\n"}, identify.Snapshot, "a snapshot directory", nil},
		{
			"a dataset",
			map[string]string{"manifest.json": "{}", "counts/10-00000.parquet": "PAR1"},
			identify.Dataset, "a dataset, which export wrote",
			[]string{"tracelake verify DIR", "tracelake report coverage DIR", "duckdb -init DIR/views.sql"},
		},
		{
			"a dataset of packets",
			map[string]string{"manifest.json": "{}", "packets/10-00000.parquet": "PAR1"},
			identify.Dataset, "a dataset, which export wrote",
			[]string{"tracelake verify DIR", "duckdb -init DIR/views.sql"},
		},
		{
			"some below",
			map[string]string{"a/b/snapshot.ini": "", "a/b/c/snapshot.ini": "", "run/manifest.json": "{}", "note.txt": "some text"},
			identify.Directory, "a directory that holds 1 snapshot and 1 dataset",
			[]string{"tracelake inspect DIR/a/b", "tracelake verify DIR/run"},
		},
		{
			"perf.data, which hides no raw trace",
			map[string]string{"rec/perf.data": "PERFILE2\x68\x00", "vmlinux": elf.ELFMAG, "log.bin": "\x00\x01\x02\x03"},
			identify.Directory, "a directory that holds 1 perf recording",
			[]string{"tracelake inspect DIR/rec/perf.data"},
		},
		{
			"raw files",
			map[string]string{"etb.bin": "\x00\x01\x02\x03", "fw.elf": elf.ELFMAG, "empty": ""},
			identify.Directory, "a directory without snapshot.ini",
			[]string{"tracelake inspect DIR/etb.bin"},
		},
		{"nothing", map[string]string{"note.txt": "some text"}, identify.Directory, "a directory without snapshot.ini", nil},
		{"too deep", map[string]string{"1/2/3/4/5/snapshot.ini": ""}, identify.Directory, "a directory without snapshot.ini", nil},
	} {
		dir := t.TempDir()
		for name, content := range tt.files {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		f, err := identify.Path(dir)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, l := range tt.lines {
			lines = append(lines, strings.ReplaceAll(l, "DIR", dir))
		}
		if f.Kind != tt.kind || f.What != tt.what || !slices.Equal(f.Lines, lines) {
			t.Errorf("%s: %s, %q, %q\nwant %s, %q, %q", tt.name, f.Kind, f.What, f.Lines, tt.kind, tt.what, lines)
		}
	}
	if _, err := identify.Path(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// Of a large directory not all is looked at, and not all is listed.
func TestManyFiles(t *testing.T) {
	dir := t.TempDir()
	for i := range 30 {
		if err := os.WriteFile(filepath.Join(dir, string(rune('a'+i))+".bin"), bytes.Repeat([]byte{0, 1}, 8), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := identify.Path(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Lines) != 10 {
		t.Errorf("%d lines, want 10", len(f.Lines))
	}
}

// FuzzFile looks at any content.
func FuzzFile(f *testing.F) {
	f.Add([]byte("[device]\n"))
	f.Add([]byte(elf.ELFMAG))
	f.Add([]byte(":10"))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "a")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		found, err := identify.Path(path)
		if err != nil || found.What == "" {
			t.Errorf("%+v, %v", found, err)
		}
	})
}
