package dataset

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema"
)

// A crashDisk knows what is on disk: of a file what it had when it was synced,
// of a folder the names that it had. At each step of the end it looks what a
// crash would leave.
type crashDisk struct {
	t        *testing.T
	swaps    bool              // two directories can be exchanged
	parent   string            // of the directory
	files    map[string]string // content by name
	folders  map[string]string // names, one a line
	renamed  bool              // since the parent was synced
	outcomes []string          // of a crash before each step, and after all
}

func (d *crashDisk) sync(f *os.File) error {
	content, err := os.ReadFile(f.Name())
	d.files[d.canonical(f.Name())] = string(content)
	return err
}

// canonical names the folder of the incomplete dataset without its number.
func (d *crashDisk) canonical(name string) string {
	rel, err := filepath.Rel(d.parent, name)
	if err != nil {
		d.t.Fatal(err)
	}
	first, rest, _ := strings.Cut(filepath.ToSlash(rel), "/")
	if strings.HasPrefix(first, ".run.tracelake-partial-") {
		first = "new"
	}
	return first + "/" + rest
}

func (d *crashDisk) syncDir(name string) error {
	entries, err := os.ReadDir(name)
	var names strings.Builder
	for _, e := range entries {
		names.WriteString(e.Name() + "\n")
	}
	d.folders[d.canonical(name)] = names.String()
	if name == d.parent {
		d.crash()
		d.renamed = false
	}
	return err
}

func (d *crashDisk) rename(from, to string) error {
	d.crash()
	defer d.crash()
	d.renamed = true
	return os.Rename(from, to)
}

func (d *crashDisk) exchange(a, b string) error {
	if !d.swaps {
		return errors.ErrUnsupported
	}
	d.crash()
	defer d.crash()
	d.renamed = true
	middle := a + "-middle" // no observer is in this process
	return errors.Join(os.Rename(a, middle), os.Rename(b, a), os.Rename(middle, b))
}

func (d *crashDisk) removeAll(name string) error {
	d.crash()
	if d.renamed {
		d.t.Errorf("removes %s before the rename is on disk", name)
	}
	return os.RemoveAll(name)
}

// crash notes what a crash would leave in the directory: what it has now, where
// the rename is not on disk what it had before, and of a new dataset what was
// synced.
func (d *crashDisk) crash() {
	outcome := "absent"
	manifest, err := os.ReadFile(filepath.Join(d.parent, "run", schema.ManifestFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		d.t.Fatal(err)
	case strings.Contains(string(manifest), `"description": "old"`):
		outcome = "old"
	default:
		outcome = "new"
		d.demandSynced()
	}
	d.outcomes = append(d.outcomes, outcome)
}

// demandSynced demands that all of the new dataset is on disk.
func (d *crashDisk) demandSynced() {
	dir := filepath.Join(d.parent, "run")
	files := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name := "new/" + strings.TrimPrefix(filepath.ToSlash(rel), ".")
		if e.IsDir() {
			entries, err := os.ReadDir(path)
			var names strings.Builder
			for _, e := range entries {
				names.WriteString(e.Name() + "\n")
			}
			if got, ok := d.folders[name]; !ok || got != names.String() {
				d.t.Errorf("in place, and not on disk: folder %s", name)
			}
			return err
		}
		files++
		content, err := os.ReadFile(path)
		if got, ok := d.files[name]; !ok || got != string(content) {
			d.t.Errorf("in place, and not on disk: %s", name)
		}
		return err
	})
	if err != nil || files < 5 {
		d.t.Errorf("%d files, %v", files, err)
	}
}

// Whenever the power fails, the directory is absent, the old dataset or the new
// one with all that is in it; the old one is removed when the rename is on disk.
func TestCrash(t *testing.T) {
	for _, tt := range []struct {
		name  string
		old   bool
		swaps bool
		want  string
	}{
		{"new", false, true, "absent new new"},
		{"exchanged", true, true, "old new new new"},
		{"renamed twice", true, false, "old absent absent new new new"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			parent, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			write := func(description string, d disk) {
				w, err := create(filepath.Join(parent, "run"), Options{Level: schema.LevelInstructions, Overwrite: true}, d)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.Close(&schema.Manifest{Description: description}); err != nil {
					t.Fatal(err)
				}
			}
			if tt.old {
				write("old", systemDisk{})
			}
			d := &crashDisk{t: t, swaps: tt.swaps, parent: parent, files: map[string]string{}, folders: map[string]string{}}
			write("new", d)
			if got := strings.Join(d.outcomes[:len(d.outcomes)-1], " "); got != tt.want { // the last is after the end
				t.Errorf("a crash leaves %s, want %s", got, tt.want)
			}
			entries, err := os.ReadDir(parent)
			if err != nil || len(entries) != 1 {
				t.Errorf("left: %v, %v", entries, err)
			}
		})
	}
}
