package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/base64"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	check(t, err)
	return text
}

// standIn is a product for a target, whose program is a few bytes.
func standIn(t *testing.T, target string) *product {
	t.Helper()
	v, err := parseVersion("v0.1.0-rc.1")
	check(t, err)
	p := &product{version: v, time: time.Date(2026, 11, 28, 1, 2, 4, 0, time.UTC), binary: []byte("a program"), notice: []byte("licences\n")}
	p.system, p.arch, _ = strings.Cut(target, "/")
	p.python, err = readModule("../../../python/tracelake")
	check(t, err)
	return p
}

// The packages for all targets are of their format, hold the program, the licences and the
// module, and are the same each time.
func TestPackages(t *testing.T) {
	for _, target := range targets {
		t.Run(target, func(t *testing.T) {
			p := standIn(t, target)
			packages, err := p.packages()
			check(t, err)
			again, err := standIn(t, target).packages()
			check(t, err)
			dir := t.TempDir()
			for i, f := range packages {
				if f.name != again[i].name || !bytes.Equal(f.text, again[i].text) {
					t.Errorf("%s is another one the second time", f.name)
				}
				check(t, os.WriteFile(filepath.Join(dir, f.name), f.text, f.mode))
			}
			if got := opened(t, dir, p.system, p.arch); string(got.binary) != "a program" || string(got.notice) != "licences\n" || !got.time.Equal(p.time) {
				t.Errorf("they hold %q and %q of %v", got.binary, got.notice, got.time)
			}
		})
	}
	if _, err := standIn(t, "plan9/amd64").packages(); err == nil || !strings.Contains(err.Error(), "plan9/amd64: tracelake-0.1.0rc1-py3-none-.whl: no platform") {
		t.Error(err)
	}
}

// opened checks the packages for a target in a directory, and returns what they hold: all
// the same.
func opened(t *testing.T, dir, system, arch string) *product {
	t.Helper()
	program, archive := "tracelake", "tracelake_0.1.0-rc.1_"+system+"_"+arch
	var files []file
	var p product
	if system == "windows" {
		program += ".exe"
		files, p.time = unzip(t, read(t, filepath.Join(dir, archive+".zip")))
	} else {
		files, p.time = untar(t, read(t, filepath.Join(dir, archive+".tar.gz")))
	}
	if len(files) != 2 || files[0].name != program || files[0].mode != 0o755 || files[1].name != "NOTICE" || files[1].mode != 0o644 {
		t.Fatalf("%s: %v", archive, names(files))
	}
	p.system, p.arch, p.binary, p.notice = system, arch, files[0].text, files[1].text
	others := [][]file{checkWheel(t, dir, system, arch, program)}
	if system == "linux" {
		others = append(others, checkDeb(t, dir, arch))
	}
	for _, held := range others {
		if !bytes.Equal(held[0].text, p.binary) || !bytes.Equal(held[1].text, p.notice) {
			t.Errorf("%s/%s: packages differ in what they hold", system, arch)
		}
	}
	return &p
}

func names(files []file) (names []string) {
	for _, f := range files {
		names = append(names, fmt.Sprintf("%s %o", f.name, f.mode))
	}
	return names
}

// untar returns the files of a tar.gz file, which are of one time.
func untar(t *testing.T, text []byte) (files []file, at time.Time) {
	t.Helper()
	in, err := gzip.NewReader(bytes.NewReader(text))
	check(t, err)
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, at
		}
		check(t, err)
		text, err := io.ReadAll(r)
		check(t, err)
		if !at.IsZero() && !at.Equal(h.ModTime) || h.Uid != 0 || h.Uname != "root" {
			t.Errorf("%s is of %v, and of %s", h.Name, h.ModTime, h.Uname)
		}
		files, at = append(files, file{h.Name, h.FileInfo().Mode().Perm(), text}), h.ModTime
	}
}

// unzip returns the files of a zip file, which are of one time.
func unzip(t *testing.T, text []byte) (files []file, at time.Time) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	check(t, err)
	for _, f := range r.File {
		in, err := f.Open()
		check(t, err)
		text, err := io.ReadAll(in) // checks the sum
		check(t, err)
		if !at.IsZero() && !at.Equal(f.Modified) {
			t.Errorf("%s is of %v", f.Name, f.Modified)
		}
		files, at = append(files, file{f.Name, f.Mode(), text}), f.Modified
	}
	return files, at
}

// checkDeb checks a Debian package, and returns the program and the licences.
func checkDeb(t *testing.T, dir, arch string) []file {
	t.Helper()
	text := read(t, filepath.Join(dir, "tracelake_0.1.0~rc.1_"+arch+".deb"))
	rest, found := bytes.CutPrefix(text, []byte("!<arch>\n"))
	if !found {
		t.Fatalf("no archive: %q", text[:8])
	}
	var members []file
	for len(rest) > 0 { // ar(5)
		size, err := strconv.Atoi(strings.TrimSpace(string(rest[48:58])))
		check(t, err)
		if end := string(rest[58:60]); end != "`\n" || string(rest[40:48]) != "100644  " {
			t.Fatalf("a line of ar: %q", rest[:60])
		}
		members = append(members, file{strings.TrimSpace(string(rest[:16])), 0o644, rest[60 : 60+size]})
		rest = rest[60+size+size%2:]
	}
	if len(members) != 3 || members[0].name != "debian-binary" || string(members[0].text) != "2.0\n" ||
		members[1].name != "control.tar.gz" || members[2].name != "data.tar.gz" {
		t.Fatalf("members %v", names(members))
	}
	control, _ := untar(t, members[1].text)
	for _, line := range []string{"Package: tracelake\n", "\nVersion: 0.1.0~rc.1\n", "\nArchitecture: " + arch + "\n", "\nDescription: decodes "} {
		if !strings.Contains(string(control[1].text), line) {
			t.Errorf("no %q in %s: %s", line, control[1].name, control[1].text)
		}
	}
	data, _ := untar(t, members[2].text)
	want := []string{
		"./ 755", "./usr/ 755", "./usr/bin/ 755", "./usr/share/ 755", "./usr/share/doc/ 755", "./usr/share/doc/tracelake/ 755",
		"./usr/bin/tracelake 755", "./usr/share/doc/tracelake/copyright 644",
	}
	if got := names(data); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	return data[6:]
}

// wantTags are those of wheels: by them pip knows what is for its system.
var wantTags = map[string]string{
	"linux/amd64":   "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
	"linux/arm64":   "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
	"darwin/amd64":  "macosx_12_0_x86_64",
	"darwin/arm64":  "macosx_12_0_arm64",
	"windows/amd64": "win_amd64",
	"windows/arm64": "win_arm64",
}

// checkWheel checks a wheel, and returns the program and the licences.
func checkWheel(t *testing.T, dir, system, arch, program string) []file {
	t.Helper()
	tags := wantTags[system+"/"+arch]
	files, _ := unzip(t, read(t, filepath.Join(dir, "tracelake-0.1.0rc1-py3-none-"+tags+".whl")))
	byName := map[string]file{}
	for _, f := range files {
		byName[f.name] = f
	}
	const info = "tracelake-0.1.0rc1.dist-info/"
	script := byName["tracelake-0.1.0rc1.data/scripts/"+program]
	want := []string{
		script.name, info + "METADATA", info + "RECORD", info + "WHEEL", info + "licenses/NOTICE",
		"tracelake/__init__.py", "tracelake/py.typed", "tracelake/views.json",
	}
	if got := slices.Sorted(maps.Keys(byName)); !slices.Equal(got, want) || len(files) != len(want) {
		t.Errorf("%s", cmp.Diff(got, want))
	}
	if script.mode != 0o755 {
		t.Errorf("%s has mode %v", script.name, script.mode)
	}
	for platform := range strings.SplitSeq(tags, ".") {
		if !strings.Contains(string(byName[info+"WHEEL"].text), "\nTag: py3-none-"+platform+"\n") {
			t.Errorf("WHEEL has no tag for %s: %s", platform, byName[info+"WHEEL"].text)
		}
	}
	if meta := string(byName[info+"METADATA"].text); !strings.HasPrefix(meta, "Metadata-Version: 2.4\nName: tracelake\nVersion: 0.1.0rc1\n") {
		t.Errorf("METADATA: %s", meta)
	}
	rows, err := csv.NewReader(bytes.NewReader(byName[info+"RECORD"].text)).ReadAll()
	check(t, err)
	if len(rows) != len(files) {
		t.Errorf("RECORD has %d rows for %d files", len(rows), len(files))
	}
	for _, row := range rows {
		f := byName[row[0]]
		sum := sha256.Sum256(f.text)
		hash, size := "sha256="+base64.RawURLEncoding.EncodeToString(sum[:]), strconv.Itoa(len(f.text))
		if row[0] == info+"RECORD" {
			hash, size = "", ""
		}
		if row[1] != hash || row[2] != size {
			t.Errorf("RECORD: %v, want %s, %s", row, hash, size)
		}
	}
	return []file{script, byName[info+"licenses/NOTICE"]}
}

// checkFormat demands that a program is for its target. That of Linux needs no library and
// no interpreter, that of macOS none later than its wheel says.
func checkFormat(t *testing.T, p *product) {
	t.Helper()
	r, machine := bytes.NewReader(p.binary), ""
	switch p.system {
	case "linux":
		f, err := elf.NewFile(r)
		check(t, err)
		machine = map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[f.Machine]
		if slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC }) {
			t.Errorf("%s/%s is linked dynamically", p.system, p.arch)
		}
	case "darwin":
		f, err := macho.NewFile(r)
		check(t, err)
		machine = map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"}[f.Cpu]
		if least := leastMacOS(f); !strings.HasPrefix(wantTags[p.system+"/"+p.arch], fmt.Sprintf("macosx_%d_%d_", least>>16, least>>8&0xff)) {
			t.Errorf("%s/%s needs macOS %#x", p.system, p.arch, least)
		}
	case "windows":
		f, err := pe.NewFile(r)
		check(t, err)
		machine = map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64"}[f.Machine]
	}
	if machine != p.arch {
		t.Errorf("%s/%s is for machine %q", p.system, p.arch, machine)
	}
}

// leastMacOS is what LC_BUILD_VERSION says: the version in 16 bits, 8 and 8.
func leastMacOS(f *macho.File) uint32 {
	const buildVersion = 0x32
	for _, load := range f.Loads {
		if raw := load.Raw(); binary.LittleEndian.Uint32(raw) == buildVersion {
			return binary.LittleEndian.Uint32(raw[12:])
		}
	}
	return 0
}
