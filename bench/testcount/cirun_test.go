package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
)

// What .ci/run requires of tests is what the machine has.
func TestCIRun(t *testing.T) {
	for _, tt := range []struct {
		name     string
		captures bool
		programs string
		require  string
		says     string
	}{
		{"nothing", false, "", "", "silicon: absent\n"},
		{"nothing to disassemble with", false, "", "", ".ci/run: objdump: absent, and not required: no arm-none-eabi-as\n"},
		{"captures and some tools", true, "trc_pkt_lister arm-none-eabi-as arm-none-eabi-ld qemu-arm", "silicon,opencsd,qemu", "silicon: present\n"},
		{
			"everything", true, "trc_pkt_lister arm-none-eabi-as arm-none-eabi-ld arm-none-eabi-objdump aarch64-linux-gnu-objdump qemu-arm arm-linux-gnueabihf-gcc venv opencsd/c_api/opencsd_c_api.h",
			"silicon,python,opencsd,libopencsd,objdump,qemu,gcc", "",
		},
		{"no network", false, "apt-get", "", "apt-get could not install"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := runCI(t, tt.captures, strings.Fields(tt.programs))
			_, require, _ := strings.Cut(out, "make test requires make,symlinks")
			require, _, _ = strings.Cut(require, "\n")
			require = strings.TrimPrefix(strings.ReplaceAll(require, ",terminal", ""), ",")
			if require != tt.require {
				t.Errorf("requires %s, want %s", require, tt.require)
			}
			if !strings.Contains(out, tt.says) {
				t.Errorf("no %q in:\n%s", tt.says, out)
			}
		})
	}
}

// runCI runs .ci/run as root, on a machine that has captures, and stubs of
// programs and of headers. Its make prints what is required; .venv is there if the program venv
// is, and apt-get fails. It returns what is printed.
func runCI(t *testing.T, captures bool, programs []string) string {
	t.Helper()
	dir, bin := t.TempDir(), t.TempDir()
	script, err := os.ReadFile("../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "checkout", ".ci", "run"), string(script))
	if captures {
		write(t, filepath.Join(dir, "shared", "captures", "README.md"), "")
	}
	for _, program := range []string{"bash", "dirname", "mkdir"} {
		if err := os.Symlink(need.Tool(t, need.Make, program), filepath.Join(bin, program)); err != nil {
			t.Fatal(err)
		}
	}
	stubs := map[string]string{"make": `echo "make $1 requires $TRACELAKE_REQUIRE"`, "go": "", "id": "echo 0"}
	for _, program := range programs {
		switch program {
		case "venv":
			stubs["make"] += "\nmkdir -p .venv/installed"
		case "apt-get":
			stubs[program] = "exit 100"
		default:
			stubs[program] = ""
		}
	}
	for name, text := range stubs {
		write(t, filepath.Join(bin, name), "#!"+filepath.Join(bin, "bash")+"\n"+text+"\n")
	}
	cmd := exec.Command("bash", filepath.Join(dir, "checkout", ".ci", "run"))
	cmd.Env = []string{"PATH=" + bin, "C_INCLUDE_PATH=" + bin, "TRACELAKE_REQUIRE="}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// write writes a file that can be executed, in a folder that is made.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
}
