package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/tracelake/tracelake/bench/need"
)

// command runs a program in a directory, and returns what it prints.
func command(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", program, args, err, out)
	}
	return string(out)
}

// A release has its packages for each target, with what they are to hold, and sums that
// hold. Those that this machine can install are installed, show the demo, and go again.
func TestRelease(t *testing.T) {
	need.FullRun(t, "the program is built without cgo")
	built, flags := targets, []string(nil)
	if !need.Long() {
		built, flags = []string{runtime.GOOS + "/" + runtime.GOARCH}, []string{"-trimpath=false", "-buildvcs=false"} // what other tests built is used again
	}
	dir := t.TempDir()
	check(t, release(t.Context(), dir, "v0.1.0-rc.1", built, flags...))
	files := len(built) * 3
	for _, target := range built {
		system, arch, _ := strings.Cut(target, "/")
		p := opened(t, dir, system, arch)
		checkProgram(t, p)
		if system != "linux" {
			files--
		}
	}
	sums := strings.Split(strings.TrimSpace(string(read(t, filepath.Join(dir, sumsFile)))), "\n")
	for _, line := range sums {
		sum, name, _ := strings.Cut(line, "  ")
		if got := sha256.Sum256(read(t, filepath.Join(dir, name))); hex.EncodeToString(got[:]) != sum {
			t.Errorf("the sum of %s is %x, not %s", name, got, sum)
		}
	}
	entries, err := os.ReadDir(dir)
	check(t, err)
	if len(sums) != files || len(entries) != files+1 {
		t.Errorf("%d sums and %d files, want %d packages:\n%v", len(sums), len(entries), files, sums)
	}
	if runtime.GOOS != "linux" {
		return
	}
	name := "tracelake_0.1.0-rc.1_linux_" + runtime.GOARCH
	t.Run("archive", func(t *testing.T) {
		to := t.TempDir()
		command(t, dir, need.Tool(t, need.Make, "tar"), "-xzf", name+".tar.gz", "-C", to, "tracelake")
		checkRuns(t, filepath.Join(to, "tracelake"), "v0.1.0-rc.1")
	})
	t.Run("deb", func(t *testing.T) { installDeb(t, dir) })
	t.Run("wheel", func(t *testing.T) { installWheel(t, dir) })
	t.Run("go install", func(t *testing.T) {
		to := t.TempDir()
		t.Setenv("GOBIN", to)
		command(t, need.Module(t), "go", "install", "-buildvcs=false", "./cmd/tracelake")
		checkRuns(t, filepath.Join(to, "tracelake"), "devel")
	})
}

// checkProgram demands that the program says of itself what it is, is for the system of its
// packages, is no larger than said, and that NOTICE has the licences of all that it is linked from.
func checkProgram(t *testing.T, p *product) {
	t.Helper()
	info, err := buildinfo.Read(bytes.NewReader(p.binary))
	check(t, err)
	titles := []string{"github.com/tracelake/tracelake: LICENSE", "Go " + runtime.Version() + ": LICENSE"}
	for _, m := range info.Deps {
		titles = append(titles, m.Path+" "+m.Version+": ")
	}
	if len(titles) < 12 {
		t.Errorf("%s/%s: linked from %d modules", p.system, p.arch, len(info.Deps))
	}
	for _, title := range titles {
		if !bytes.Contains(p.notice, []byte("\n"+title)) {
			t.Errorf("%s/%s: NOTICE has no %q", p.system, p.arch, title)
		}
	}
	if len(p.binary) > 29<<20 {
		t.Errorf("%s/%s: %d bytes: find out what grew, and write it into docs/size.md", p.system, p.arch, len(p.binary))
	}
	checkFormat(t, p)
}

// checkRuns demands that an installed program says its version, and shows the demo.
func checkRuns(t *testing.T, program, version string) {
	t.Helper()
	dir := t.TempDir()
	if out := command(t, dir, program, "version"); !strings.HasPrefix(out, "tracelake "+version+"\nrevision  ") || !strings.Contains(out, "\nbuilt by  "+runtime.Version()+" for ") {
		t.Errorf("version: %s", out)
	}
	if out := command(t, dir, program, "demo"); !strings.Contains(out, "218,349 instructions") {
		t.Errorf("demo: %s", out)
	}
}

// installDeb installs the package as its documentation says, in a system of its own, and
// removes it again. Only root can; others unpack it.
func installDeb(t *testing.T, dir string) {
	t.Helper()
	dpkg := need.Tool(t, need.Dpkg, "dpkg")
	deb, root := "tracelake_0.1.0~rc.1_"+runtime.GOARCH+".deb", t.TempDir()
	program := filepath.Join(root, "usr/bin/tracelake")
	if os.Geteuid() != 0 {
		command(t, dir, dpkg, "--extract", deb, root)
		checkRuns(t, program, "v0.1.0-rc.1")
		return
	}
	check(t, os.MkdirAll(filepath.Join(root, "var/lib/dpkg/info"), 0o755))
	check(t, os.MkdirAll(filepath.Join(root, "var/lib/dpkg/updates"), 0o755))
	check(t, os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644))
	command(t, dir, dpkg, "--root="+root, "--install", deb)
	checkRuns(t, program, "v0.1.0-rc.1")
	if out := command(t, dir, dpkg, "--root="+root, "--verify", "tracelake"); out != "" {
		t.Errorf("dpkg --verify: %s", out)
	}
	command(t, dir, dpkg, "--root="+root, "--remove", "tracelake")
	if _, err := os.Stat(filepath.Join(root, "usr")); !os.IsNotExist(err) {
		t.Errorf("the removed package has left something: %v", err)
	}
}

// installWheel installs the wheel in an environment of its own, uses its program and its
// module there, and removes it again.
func installWheel(t *testing.T, dir string) {
	t.Helper()
	env := filepath.Join(t.TempDir(), "env")
	command(t, dir, need.Interpreter(t), "-m", "venv", env)
	python, program := filepath.Join(env, "bin/python"), filepath.Join(env, "bin/tracelake")
	command(t, dir, python, "-m", "pip", "install", "--quiet", "--no-index", "--find-links", dir, "--pre", "tracelake")
	checkRuns(t, program, "v0.1.0-rc.1")
	work := t.TempDir()
	command(t, work, program, "demo")
	t.Setenv("PATH", t.TempDir()) // what the module finds is beside it
	out := command(t, work, python, "-c", `import tracelake
run = tracelake.export("tracelake-demo/capture", "run", elf="tracelake-demo/capture/sample.elf")
print(tracelake.program(), run.tables["counts"], run.report("coverage")["instructions"]["count"])`)
	if want := program + " 778 774\n"; out != want {
		t.Errorf("the module prints %q, want %q", out, want)
	}
	command(t, dir, python, "-m", "pip", "uninstall", "--quiet", "--yes", "tracelake")
	if left, _ := filepath.Glob(filepath.Join(env, "lib/python*/site-packages/tracelake*")); len(left) > 0 {
		t.Errorf("the removed package has left %q", left)
	}
	if _, err := os.Stat(program); !os.IsNotExist(err) {
		t.Errorf("the removed package has left its program: %v", err)
	}
}

// A release is named as modules of Go are.
func TestVersions(t *testing.T) {
	for _, tt := range []struct{ name, file, debian, python string }{
		{"v0.1.0", "0.1.0", "0.1.0", "0.1.0"},
		{"v1.20.3-rc.4", "1.20.3-rc.4", "1.20.3~rc.4", "1.20.3rc4"},
	} {
		v, err := parseVersion(tt.name)
		if err != nil || v.String() != tt.name || v.file() != tt.file || v.debian() != tt.debian || v.python() != tt.python {
			t.Errorf("%s: %v: %s, %s, %s, %s", tt.name, err, v, v.file(), v.debian(), v.python())
		}
	}
	for _, name := range []string{"", "0.1.0", "v1", "v1.2", "v01.0.0", "v1.2.3-beta", "v1.2.3/../x", "v1.2.3-rc.0", "v1.2.3\n"} {
		if v, err := parseVersion(name); err == nil || !strings.Contains(err.Error(), "make release VERSION=v0.1.0") {
			t.Errorf("%q: %s, %v", name, v, err)
		}
	}
}

// Files have the time of the commit, and a checkout with changes is refused.
func TestCommitTime(t *testing.T) {
	for _, tt := range []struct{ time, modified, want, err string }{
		{"2026-11-27T23:26:19Z", "false", "2026-11-27T23:26:19Z", ""},
		{"2026-11-27T23:26:19Z", "true", "", "the checkout has changes"},
		{"yesterday", "false", "", "time of the commit: "},
		{"", "", "1980-01-01T00:00:00Z", ""},
	} {
		var info debug.BuildInfo
		if tt.time != "" {
			info.Settings = []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.time", Value: tt.time}, {Key: "vcs.modified", Value: tt.modified}}
		}
		switch at, err := commitTime(&info); {
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)), tt.err == "" && err != nil:
			t.Errorf("%+v: %v", tt, err)
		case err == nil && at.Format(time.RFC3339) != tt.want:
			t.Errorf("%+v: %v", tt, at)
		}
	}
}
