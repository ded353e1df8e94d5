package capture

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
)

// A file that cannot be opened is reported with the cause the system gives, and
// never as one outside the snapshot.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "etb.bin"), []byte("trace"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		cause           error
		problem, remedy string
	}{
		{syscall.EACCES, "cannot be opened (permission denied)",
			"make it readable for this user, and the directories above it searchable"},
		{syscall.EPERM, "cannot be opened (operation not permitted)",
			"make it readable for this user, and the directories above it searchable"},
		{syscall.EMFILE, "cannot be opened (too many open files)", "raise the limit of open files (ulimit -n)"},
		{syscall.ENFILE, "cannot be opened (too many open files in system)",
			"end other programs: the system has no open file left"},
		{syscall.ELOOP, "cannot be opened (too many levels of symbolic links)", "correct the links, which lead in a circle"},
		{syscall.EIO, "cannot be opened (input/output error)",
			"the disk or the connection to it fails: copy the capture elsewhere"},
		{syscall.ENAMETOOLONG, "cannot be opened (file name too long)", "give a file, or remove the key"},
		{syscall.ENOENT, "does not exist", "put it beside snapshot.ini or remove the key"},
	} {
		failed := &fs.PathError{Op: "openat", Path: "etb.bin", Err: tt.cause}
		for _, outside := range []bool{false, true} {
			for _, atStat := range []bool{false, true} {
				d, err := openFolder(dir, outside)
				if err != nil {
					t.Fatal(err)
				}
				if atStat {
					d.stat = func(string) (fs.FileInfo, error) { return nil, failed }
				} else {
					d.file = func(string) (*os.File, error) { return nil, failed }
				}
				r := &reader{dir: d}
				_, _, err = r.open(&section{file: "trace.ini", name: "buffer0"}, entry{key: "file"}, "etb.bin")
				d.root.Close()
				if want := `trace.ini: [buffer0] file names "etb.bin", which ` + tt.problem + "; " + tt.remedy; err == nil ||
					err.Error() != want {
					t.Errorf("outside %v: got %v\nwant %s", outside, err, want)
				}
			}
		}
		if slices.Contains([]string{"put it beside snapshot.ini or remove the key", "give a file, or remove the key"},
			tt.remedy) {
			tt.remedy = "give another" // the caller's, where the cause has none of its own
		}
		if got, want := unreadable("a.elf", failed, "give another").Error(),
			"a.elf: "+tt.problem+"; "+tt.remedy; got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// Without a seam, as far as the user running the test allows.
func TestUnreadableOnDisk(t *testing.T) {
	dir := t.TempDir()
	for link, to := range map[string]string{"circle.bin": "circle.bin", "away.bin": filepath.Join(t.TempDir(), "x.bin"),
		"dangling.bin": "none.bin"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			need.Missing(t, need.Symlinks, err.Error())
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "secret.bin"), nil, 0); err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{
		"circle.bin":   "cannot be opened (too many levels of symbolic links)",
		"away.bin":     "away.bin, outside the snapshot's directory; --allow-outside",
		"dangling.bin": "does not exist",
		"secret.bin":   "cannot be opened (permission denied)",
	}
	if os.Getuid() == 0 { // reads it all the same
		delete(tests, "secret.bin")
	}
	d, err := openFolder(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	defer d.root.Close()
	r := &reader{dir: d}
	for name, want := range tests {
		if _, _, err := r.open(&section{}, entry{}, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
