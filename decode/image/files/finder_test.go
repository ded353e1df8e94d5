package files

import (
	"archive/zip"
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/process"
	"github.com/tracelake/tracelake/schema"
)

// The build IDs of the files of these tests: the one that ran, and another.
const (
	ran   = "00112233445566778899aabbccddeeff"
	other = "ffeeddccbbaa99887766554433221100"
)

// lib is a library as lld links it: a segment is elsewhere than its offset in the file.
func lib(id, code string) []byte {
	return testELF{id: id, segs: []testSeg{
		{offset: 0x1000, vaddr: 0x1000, flags: elf.PF_R, data: "data"},
		{offset: 0x1010, vaddr: 0x2010, data: code},
	}}.bytes()
}

// write writes files below a directory, by name.
func write(t testing.TB, dir string, files map[string][]byte) string {
	t.Helper()
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func finder(t *testing.T, o Options) *Finder {
	t.Helper()
	f, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// mapped is all of a map of a page of a file.
func mapped(name, id string, address schema.Address, offset uint64) process.Part {
	m := &process.Map{Address: address, Size: 0x1000, Offset: offset, File: process.File{Name: name, BuildID: id}}
	return process.Part{From: m.Address, To: m.End(), Map: m}
}

// text shows the memory of a placement: "address bytes".
func text(p Placement) string {
	var s []string
	for _, r := range p.Regions {
		s = append(s, fmt.Sprintf("%x %s", uint64(r.Address), r.Bytes))
	}
	return strings.Join(s, ", ")
}

// TestUser: where a program file is found, which of several precedes, and what is said of those
// that are not taken. Every directory has another code for the same map.
func TestUser(t *testing.T) {
	dir := t.TempDir()
	in := func(name string, files map[string][]byte) string { return write(t, filepath.Join(dir, name), files) }
	one := in("one", map[string][]byte{"lib/a.so": lib(ran, "sys1"), "lib/gone.so": lib(ran, "gone"), "bin/plain": lib("", "plain")})
	two := in("two", map[string][]byte{"lib/a.so": lib(ran, "sys2"), "lib/b.so": lib(ran, "sysb")})
	wrong := in("wrong", map[string][]byte{
		"lib/a.so": lib(other, "evil"), "lib/b.so": lib("", "evil"), "lib/c.so": []byte("#!/bin/sh"),
		"lib/d.so": testELF{machine: elf.EM_X86_64, segs: []testSeg{{data: "evil"}}}.bytes(),
		"lib/e.so": testELF{id: ran, nobits: true, segs: []testSeg{{offset: 0x1000, data: "evil"}}}.bytes(),
	})
	dirs := in("debug", map[string][]byte{
		".build-id/00/" + ran[2:] + "/elf":     lib(ran, "dirs"),
		".build-id/00/" + ran[2:] + "/vdso":    lib(ran, "vdso"),
		".build-id/01/02030405060708" + "/elf": lib("0102030405060708", "eight"),
	})
	given := filepath.Join(in("given", map[string][]byte{"any": lib(ran, "given"), "plain": lib("", "by name")}), "any")
	plain := filepath.Join(dir, "given", "plain")
	for _, c := range []struct {
		rule     string
		options  Options
		name, id string
		want     string // the memory, or the error
	}{
		{"by name below a sysroot", Options{Sysroots: []string{one}}, "/lib/a.so", ran, "7010 sys1"},
		{"the first sysroot precedes", Options{Sysroots: []string{two, one}}, "/lib/a.so", ran, "7010 sys2"},
		{"the next sysroot has it", Options{Sysroots: []string{one, two}}, "/lib/b.so", ran, "7010 sysb"},
		{"a file that is given precedes", Options{Sysroots: []string{one}, Files: []string{given}}, "/lib/a.so", ran, "7010 given"},
		{
			"a file of another build ID is not given",
			Options{Sysroots: []string{two}, Files: []string{given}},
			"/lib/a.so", other,
			"/lib/a.so (build ID " + other + ") is not found: " + two + "/lib/a.so has build ID " + ran + ", not " + other +
				"; give --sysroot DIR where the file is DIR/lib/a.so, or give it with -e FILE",
		},
		{
			"a file of that name and another build ID is given",
			Options{Files: []string{filepath.Join(wrong, "lib", "a.so")}},
			"/lib/a.so", ran,
			"/lib/a.so (build ID " + ran + ") is not found: " + wrong + "/lib/a.so has build ID " + other + ", not " + ran +
				"; give --sysroot DIR where the file is DIR/lib/a.so, or give it with -e FILE",
		},
		{"a file without a build ID is given by name", Options{Files: []string{plain}}, "/bin/plain", "", "7010 by name"},
		{"a directory of build IDs", Options{BuildIDs: []string{dirs}}, "/lib/a.so", ran, "7010 dirs"},
		{"a sysroot precedes it", Options{Sysroots: []string{one}, BuildIDs: []string{dirs}}, "/lib/a.so", ran, "7010 sys1"},
		{"zeros at the end of a build ID", Options{BuildIDs: []string{dirs}}, "/lib/a.so", "0102030405060708" + strings.Repeat("00", 12), "7010 eight"},
		{"the vDSO", Options{BuildIDs: []string{dirs}}, "[vdso]", ran, "7010 vdso"},
		{"a build ID is not needed", Options{Sysroots: []string{one}}, "/bin/plain", "", "7010 plain"},
		{"a deleted file is known by its build ID", Options{Sysroots: []string{one}}, "/lib/gone.so (deleted)", ran, "7010 gone"},
		{"the next one where the first is refused", Options{Sysroots: []string{wrong, one}}, "/lib/a.so", ran, "7010 sys1"},
		{
			"a deleted file without a build ID",
			Options{Sysroots: []string{one}},
			"/lib/gone.so (deleted)", "",
			"/lib/gone.so (deleted) is not found; give --sysroot DIR where the file is DIR/lib/gone.so, or give it with -e FILE",
		},
		{
			"no file",
			Options{Sysroots: []string{one}},
			"/lib/z.so", "",
			"/lib/z.so is not found; give --sysroot DIR where the file is DIR/lib/z.so, or give it with -e FILE",
		},
		{
			"another build ID",
			Options{Sysroots: []string{wrong}},
			"/lib/a.so", ran,
			"/lib/a.so (build ID " + ran + ") is not found: " + wrong + "/lib/a.so has build ID " + other + ", not " + ran + "; ",
		},
		{"no build ID", Options{Sysroots: []string{wrong}}, "/lib/b.so", ran, wrong + "/lib/b.so has no build ID, not " + ran},
		{"no ELF file", Options{Sysroots: []string{wrong}}, "/lib/c.so", "", wrong + "/lib/c.so is no ELF file; "},
		{"another machine", Options{Sysroots: []string{wrong}}, "/lib/d.so", "", "is an ELF file for another machine, EM_X86_64"},
		{"a file of symbols", Options{Sysroots: []string{wrong}}, "/lib/e.so", ran, wrong + "/lib/e.so has no code; "},
		{"a directory is no file", Options{Sysroots: []string{one}}, "/lib", "", "/lib is not found; "},
		{"a file is no directory", Options{Sysroots: []string{one}}, "/bin/plain/x", "", "/bin/plain/x is not found; "},
		{"a vDSO without a dump", Options{}, "[vdso]", "", "[vdso] is code of the kernel that every process has, which is in no file; "},
		{"anonymous memory", Options{Sysroots: []string{one}}, "//anon", "", "//anon is code that was made while the program ran, which is in no file; "},
		{"memory of a JIT", Options{}, "/memfd:jit (deleted)", "", "made while the program ran"},
		{"memory of Android's JIT", Options{}, "[anon:dalvik-jit-code-cache]", "", "made while the program ran"},
		{"names of a JIT", Options{}, "/tmp/perf-17.map", "", "of which the file has names only"},
		{"a name goes up", Options{Sysroots: []string{one}}, "/lib/../../two/lib/a.so", ran, "is no path that an operating system records"},
		{"a name goes up at once", Options{Sysroots: []string{one}}, "../two/lib/a.so", ran, "is no path that an operating system records"},
		{"a name with a newline is quoted", Options{Sysroots: []string{one}}, "/lib/a\n.so", "", `"/lib/a\n.so" is not found; `},
		{"a name with a newline is not one of this machine", Options{Host: true}, one + "/lib/a\n.so", "", `/lib/a\n.so" is not found; `},
		{"this machine's files", Options{Host: true}, one + "/lib/a.so", ran, "7010 sys1"},
		{"only if they may be used", Options{}, one + "/lib/a.so", ran, "is not found; "},
	} {
		got, err := finder(t, c.options).User(mapped(c.name, c.id, 0x7000, 0x1000))
		switch {
		case err == nil && text(got) != c.want:
			t.Errorf("%s: %q, want %q", c.rule, text(got), c.want)
		case err != nil && !strings.Contains(err.Error(), c.want):
			t.Errorf("%s:\n%v, want\n%s", c.rule, err, c.want)
		}
	}
}

// TestPlaces: address − address of the map + offset is a byte of the file, which a segment has at
// an address that the linker gave.
func TestPlaces(t *testing.T) {
	code := testELF{segs: []testSeg{
		{offset: 0x1000, vaddr: 0x5000, data: "0123456789"},
		{offset: 0x1800, vaddr: 0x9800, data: "abc", flags: elf.PF_R | elf.PF_X},
		{offset: 0x1900, vaddr: 0xA900, data: "no code", flags: elf.PF_R | elf.PF_W},
	}}
	f := finder(t, Options{Sysroots: []string{write(t, t.TempDir(), map[string][]byte{"a": code.bytes()})}})
	m := &process.Map{Address: 0x10_0000, Size: 0x1000, Offset: 0x1000, File: process.File{Name: "/a"}}
	low := &process.Map{Address: 0x10_0000, Size: 0x3000, Offset: 0, File: m.File}
	high := &process.Map{Address: schema.MaxAddress - 0xFF, Size: 0x100, Offset: 0x1002 - 0xFA, File: m.File}
	for _, c := range []struct {
		rule string
		part process.Part
		want string
		bias uint64
	}{
		{"all of the map", process.Part{From: m.Address, To: m.End(), Map: m}, "100000 0123456789, 100800 abc", 0x10_0000 - 0x5000},
		{"the rest of the map", process.Part{From: 0x10_0004, To: m.End(), Map: m}, "100004 456789, 100800 abc", 0x10_0000 - 0x5000},
		{"a part inside", process.Part{From: 0x10_0004, To: 0x10_0006, Map: m}, "100004 45", 0x10_0000 - 0x5000},
		{"the second segment", process.Part{From: 0x10_0700, To: m.End(), Map: m}, "100800 abc", 0x10_0000 - 0x9000},
		{"a map from before the segments", process.Part{From: low.Address, To: low.End(), Map: low}, "101000 0123456789, 101800 abc", 0x10_1000 - 0x5000},
		{"no region has the last address", process.Part{From: high.Address, To: high.End(), Map: high}, "fffffffffffffff8 0123456", ^uint64(7) - 0x5000},
	} {
		got, err := f.User(c.part)
		if err != nil || text(got) != c.want || got.Bias != c.bias {
			t.Errorf("%s: %q, bias %#x, %v; want %q, %#x", c.rule, text(got), got.Bias, err, c.want, c.bias)
		}
	}
	if _, err := f.User(process.Part{From: 0x10_0100, To: 0x10_0200, Map: m}); err == nil || !strings.Contains(err.Error(), "has no code at what is mapped of it") {
		t.Errorf("between the segments: %v", err)
	}
}

// TestOnce: however often a file is mapped, its bytes are read once.
func TestOnce(t *testing.T) {
	f := finder(t, Options{Sysroots: []string{write(t, t.TempDir(), map[string][]byte{"a": lib(ran, "code")})}})
	one, err := f.User(mapped("/a", ran, 0x1000, 0x1000))
	if err != nil {
		t.Fatal(err)
	}
	two, err := f.User(mapped("/a", ran, 0x8000, 0x1000))
	if err != nil || &one.Regions[0].Bytes[0] != &two.Regions[0].Bytes[0] {
		t.Errorf("%v: two maps do not share the bytes of their file", err)
	}
	if r := one.Regions[0]; r.File != "/a" || r.BuildID != ran || !r.AArch64 || r.SHA256 == [32]byte{} {
		t.Errorf("region %+v", r)
	}
}

func TestArchive(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range []struct {
		name   string
		method uint16
	}{{"lib/x.so", zip.Store}, {"lib/packed.so", zip.Deflate}, {"lib/y.so", zip.Store}} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: e.name, Method: e.method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(lib(ran, e.name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	dir := write(t, t.TempDir(), map[string][]byte{"base.apk": b.Bytes(), "bad.apk": []byte("no zip")})
	f := finder(t, Options{Sysroots: []string{dir}})
	given := finder(t, Options{Files: []string{filepath.Join(dir, "base.apk")}})
	at := uint64(bytes.LastIndex(b.Bytes(), []byte("\x7FELF")))
	for _, c := range []struct {
		rule string
		part process.Part
		want string
	}{
		{"a library by name", mapped("/base.apk!/lib/x.so", ran, 0x7000, 0x1000), "7010 lib/x.so"},
		{"a library by where it is", mapped("/base.apk", ran, 0x7000, at+0x1000), "7010 lib/y.so"},
		{"one that is compressed", mapped("/base.apk!/lib/packed.so", ran, 0x7000, 0x1000), "is not found"},
		{"another build ID", mapped("/base.apk!/lib/x.so", other, 0x7000, 0x1000), dir + "/base.apk!/lib/x.so has build ID " + ran},
		{"no library is there", mapped("/base.apk", "", 0x7000, 1<<40), "base.apk is no ELF file"},
		{"no archive", mapped("/bad.apk!/lib/x.so", "", 0x7000, 0), "is not read: zip"},
	} {
		got, err := f.User(c.part)
		if err == nil && text(got) != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, %v; want %q", c.rule, text(got), err, c.want)
		}
		if err != nil {
			continue
		}
		p := got.Program
		if p.Archive() != filepath.Join(dir, "base.apk") || p.Opened != p.Archive() || p.Title() != "base.apk" {
			t.Errorf("%s: %q, opened as %q, of %q", c.rule, p.Title(), p.Opened, p.Archive())
		}
		if got, err := given.User(c.part); err != nil || text(got) != c.want {
			t.Errorf("%s, of an archive that is given: %q, %v; want %q", c.rule, text(got), err, c.want)
		}
	}
}

// TestOpen: files that are given are opened as the options say, and have the names by which they were.
func TestOpen(t *testing.T) {
	dir := write(t, t.TempDir(), map[string][]byte{"1": lib(ran, "code"), "2": testELF{id: ran, nobits: true, segs: []testSeg{{offset: 0x1000, data: "code"}}}.bytes()})
	f := finder(t, Options{Files: []string{"a.debug", "a"}, Open: func(name string) (File, int64, error) {
		file, err := os.Open(filepath.Join(dir, map[string]string{"a": "1", "a.debug": "2"}[name]))
		if err != nil {
			return nil, 0, err
		}
		info, err := file.Stat()
		return file, info.Size(), err
	}})
	p, err := f.User(mapped("/lib/other", ran, 0x7000, 0x1000))
	if err != nil || text(p) != "7010 code" || p.Program.Path != "a" || p.Program.Opened != filepath.Join(dir, "1") || p.Program.Title() != "other" {
		t.Fatalf("%q, %v, %+v", text(p), err, p.Program)
	}
	s, err := f.Symbols(p.Program)
	if err != nil || s.Path != "a.debug" || s.Opened != filepath.Join(dir, "2") || s.Own {
		t.Fatalf("%+v, %v", s, err)
	}
	s.Close()
}

func TestLinks(t *testing.T) {
	dir := write(t, t.TempDir(), map[string][]byte{"root/usr/a": lib(ran, "root"), "secret": lib(ran, "evil")})
	root := filepath.Join(dir, "root")
	for link, to := range map[string]string{"lib": "usr", "out": "../secret", "abs": filepath.Join(dir, "secret")} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	f := finder(t, Options{Sysroots: []string{root}})
	for name, want := range map[string]string{"/lib/a": "7010 root", "/out": "path escapes", "/abs": "path escapes"} {
		got, err := f.User(mapped(name, ran, 0x7000, 0x1000))
		if err == nil && text(got) != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v; want %q", name, text(got), err, want)
		}
	}
}

// TestKernel: a kernel is where the symbol of its map is (KASLR); what was in memory precedes it.
func TestKernel(t *testing.T) {
	const linked, running = 0xffff_8000_1000_0000, 0xffff_9a5d_c9d0_0000
	vm := testELF{id: ran, symbol: "_stext", at: linked, segs: []testSeg{{offset: 0x1000, vaddr: linked, data: "kernel"}}}
	core := testELF{kind: elf.ET_CORE, segs: []testSeg{{offset: 0x1000, vaddr: running, data: "memory"}, {offset: 0x2000, vaddr: running - 0x10000, data: "module"}}}
	bare, page := vm, vm
	bare.symbol, page.at = "", linked+0x10
	dir := write(t, t.TempDir(), map[string][]byte{
		"vmlinux": vm.bytes(), "kcore": core.bytes(), "bare": bare.bytes(), "page": page.bytes(),
		"d/.build-id/00/" + ran[2:] + "/elf": vm.bytes(), "e/.build-id/00/" + ran[2:] + "/kcore": core.bytes(),
	})
	path := func(name string) string { return filepath.Join(dir, name) }
	part := func(name, id string, address schema.Address, offset uint64) process.Part {
		p := mapped(name, id, address, offset)
		p.Map.Size = 1 << 30
		p.To = p.Map.End()
		return p
	}
	stext := "[kernel.kallsyms]_stext"
	for _, c := range []struct {
		rule    string
		options Options
		part    process.Part
		want    string
	}{
		{"simpleperf: the map starts at the symbol", Options{Vmlinux: path("vmlinux")}, part(stext, ran, running, 0), "ffff9a5dc9d00000 kernel"},
		{"perf: the offset is where the symbol is", Options{Vmlinux: path("vmlinux")}, part(stext, "", running-0x10000, running), "ffff9a5dc9d00000 kernel"},
		{"without KASLR", Options{Vmlinux: path("vmlinux")}, part(stext, ran, linked, linked), "ffff800010000000 kernel"},
		{"another kernel", Options{Vmlinux: path("vmlinux")}, part(stext, other, running, 0), path("vmlinux") + " has build ID " + ran + ", not " + other},
		{"no such symbol", Options{Vmlinux: path("vmlinux")}, part("[kernel.kallsyms]_text", ran, running, 0), "has no symbol _text"},
		{"no symbols", Options{Vmlinux: path("bare")}, part(stext, ran, running, 0), "has no symbol _stext"},
		{"not by whole pages", Options{Vmlinux: path("page")}, part(stext, ran, running, 0), "another kernel, by less than a page"},
		{"no address", Options{Vmlinux: path("vmlinux")}, part(stext, ran, 0, 0), "has no address in the recording"},
		{"what was in memory", Options{Vmlinux: path("vmlinux"), Kcore: path("kcore")}, part(stext, ran, running, 0), "ffff9a5dc9d00000 memory"},
		{"the kernel where memory has nothing", Options{Vmlinux: path("vmlinux"), Kcore: path("kcore")}, part(stext, ran, linked, 0), "ffff800010000000 kernel"},
		{"a module in memory", Options{Kcore: path("kcore")}, mapped("/lib/m.ko", "", running-0x10000, 0), "ffff9a5dc9cf0000 module"},
		{"a module without", Options{Vmlinux: path("vmlinux")}, mapped("/lib/m.ko", "", running-0x10000, 0), "is a kernel module"},
		{"in a directory of build IDs", Options{BuildIDs: []string{path("d")}}, part(stext, ran, running, 0), "ffff9a5dc9d00000 kernel"},
		{"memory in a directory of build IDs", Options{BuildIDs: []string{path("e")}}, part(stext, ran, running-0x10000, 0), "ffff9a5dc9d00000 memory, ffff9a5dc9cf0000 module"},
		{"by build ID", Options{Files: []string{path("vmlinux")}}, part(stext, ran, running, 0), "ffff9a5dc9d00000 kernel"},
		{"by its symbol", Options{Files: []string{path("bare"), path("vmlinux")}}, part(stext, "", running, 0), "ffff9a5dc9d00000 kernel"},
		{"memory among the files", Options{Files: []string{path("vmlinux"), path("kcore")}}, part(stext, ran, running, 0), "ffff9a5dc9d00000 memory"},
		{"no kernel", Options{}, part(stext, ran, running, 0), "is not found; give the kernel with --vmlinux FILE"},
	} {
		got, err := finder(t, c.options).Kernel(c.part)
		if err == nil && text(got) != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, %v; want %q", c.rule, text(got), err, c.want)
		}
	}
}

// TestMissing: files by the bytes that are mapped of them, each range once.
func TestMissing(t *testing.T) {
	f := finder(t, Options{})
	for _, p := range []process.Part{
		mapped("/small", ran, 0x1000, 0), mapped("/small", ran, 0x9000, 0),
		mapped("/large", ran, 0x1000, 0), mapped("/large", ran, 0x1000, 0x4000),
	} {
		_, err := f.User(p)
		if _, ok := errors.AsType[*Missing](err); !ok {
			t.Errorf("%v", err)
		}
	}
	var got []string
	for _, m := range f.Missing() {
		got = append(got, fmt.Sprintf("%s %#x", m.File.Name, m.Bytes))
	}
	if want := "/large 0x2000, /small 0x1000"; strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSymbols(t *testing.T) {
	dir := write(t, t.TempDir(), map[string][]byte{"a": lib(ran, "code"), "d/.build-id/00/" + ran[2:] + ".debug": []byte("symbols")})
	for _, c := range []struct {
		rule    string
		options Options
		size    int64
	}{
		{"the program itself", Options{Sysroots: []string{dir}}, int64(len(lib(ran, "code")))},
		{"its file for debuggers", Options{Sysroots: []string{dir}, BuildIDs: []string{filepath.Join(dir, "d")}}, int64(len("symbols"))},
	} {
		f := finder(t, c.options)
		p, err := f.User(mapped("/a", ran, 0x7000, 0x1000))
		if err != nil {
			t.Fatal(err)
		}
		file, err := f.Symbols(p.Program)
		if err != nil || file.Size != c.size {
			t.Fatalf("%s: %d bytes, %v; want %d", c.rule, file.Size, err, c.size)
		}
		file.Close()
	}
}

// TestOptions: what is given must be there, and be what it is given as.
func TestOptions(t *testing.T) {
	dir := write(t, t.TempDir(), map[string][]byte{
		"text": []byte("text"), "object": testELF{kind: elf.ET_REL}.bytes(), "program": lib(ran, "code"),
	})
	path := func(name string) string { return filepath.Join(dir, name) }
	for want, o := range map[string]Options{
		"text is no ELF file; ":             {Files: []string{path("text")}},
		"object is an object file (ET_REL)": {Files: []string{path("object")}},
		"no such file":                      {Files: []string{path("none")}},
		"no such file or directory; give":   {Sysroots: []string{path("none")}},
		"not a directory; give":             {BuildIDs: []string{path("text")}},
		"is no file; give":                  {Vmlinux: dir},
		"program is not what was in memory": {Kcore: path("program")},
	} {
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
