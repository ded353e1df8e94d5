package files

import (
	"archive/zip"
	"bytes"
	"path/filepath"
	"testing"
)

// FuzzUser: no name opens what is outside the sysroot, and a file that is not used has a reason and
// a remedy.
func FuzzUser(f *testing.F) {
	for _, name := range []string{"/lib/a.so", "/../secret", "/lib/../../secret", "/a.apk", "/a.apk!/../secret", "[vdso]", "", "/\n (deleted)", "/out"} {
		f.Add(name, ran)
	}
	dir := f.TempDir()
	root := filepath.Join(dir, "root")
	write(f, dir, map[string][]byte{"root/lib/a.so": lib(ran, "code"), "secret": lib(ran, "evil"), ran[2:]: lib(ran, "evil")})
	find, err := New(Options{Sysroots: []string{root}, BuildIDs: []string{root}})
	if err != nil {
		f.Fatal(err)
	}
	defer find.Close()
	f.Fuzz(func(t *testing.T, name, id string) {
		clear(find.found)
		clear(find.missing)
		p, err := find.User(mapped(name, id, 0x7000, 0x1000))
		if err == nil && text(p) != "7010 code" {
			t.Fatalf("%q: %s", name, text(p))
		}
		list := find.Missing()
		if err != nil && (len(list) != 1 || list[0].Problem == "" || list[0].Remedy == "") {
			t.Fatalf("%q: %v, %v", name, err, list)
		}
	})
}

// FuzzArchive: no panic; entries are inside the archive.
func FuzzArchive(f *testing.F) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if w, err := z.CreateHeader(&zip.FileHeader{Name: "lib/x.so", Method: zip.Store}); err == nil {
		w.Write(lib(ran, "code"))
	}
	z.Close()
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, _ := readEntries(source{ReaderAt: bytes.NewReader(data), size: int64(len(data))})
		for _, e := range entries {
			if e.start > uint64(len(data)) || e.size > uint64(len(data))-e.start {
				t.Fatalf("%+v of %d bytes", e, len(data))
			}
		}
	})
}
