package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/repeat"
	"github.com/tracelake/tracelake/bench/sample"
)

// What an archive says of a directory outside of it is not believed: every command that reads program memory of one
// asks for --images, and takes it.
func TestImagesOutside(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := sample.Extract("capture"); err != nil {
		t.Fatal(err)
	}
	ends(t, "archive capture -e capture/sample.elf -o store/run.tla --images store/images --quiet", statusDone)
	if err := repeat.Snapshot("capture", "long", 600_000); err != nil { // with more calls than are kept
		t.Fatal(err)
	}
	ends(t, "archive long -e capture/sample.elf -o store/long.tla --images store/images --quiet", statusDone)
	for _, line := range []string{
		"export store/run.tla -o RUN --quiet",
		"export store/run.tla -o RUN --quiet --around seq=100000±500",
		"inspect store/run.tla",
		"report quality store/run.tla",
		"packets store/run.tla --to 0x100",
		"packets store/run.tla --from segment=1 --to segment=2",
		"verify store/run.tla",
		"verify store/run.tla --capture store/run.tla",
		"redecode store/run.tla -e capture/sample.elf --quiet",
		"report last store/run.tla -n 3",
		"report last store/run.tla/dataset -n 3",
		"convert store/long.tla --to speedscope --around seq=700000±500 -o RUN",
		"convert store/long.tla/dataset --to perfetto --from seq=700000 --until seq=700500 -o RUN",
	} {
		t.Run(line, func(t *testing.T) {
			filled := func() string { return strings.ReplaceAll(line, "RUN", filepath.Join(t.TempDir(), "run")) }
			text := ends(t, filled(), statusFailed)
			for _, want := range []string{".tla" + string(filepath.Separator) + "archive.json: ", `"images"`, `"../images"`, "--images DIR"} {
				if !strings.Contains(text, want) {
					t.Errorf("it says %q, without %s", text, want)
				}
			}
			ends(t, filled()+" --images store/images", statusDone)
			if text := ends(t, filled()+" --images nowhere", statusFailed); !strings.Contains(text, "directory of images") {
				t.Errorf("of a directory that is not there it says %q", text)
			}
		})
	}
}

// Of an archive without its program what needs rows fails, and answers nothing.
func TestImagesMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := sample.Extract("capture"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("empty", 0o777); err != nil {
		t.Fatal(err)
	}
	for name, program := range map[string]string{"memory": "", "argument": " -e capture/sample.elf"} {
		ends(t, "archive capture"+program+" -o "+name+".tla --no-images --quiet", statusDone)
		for _, images := range []string{"", " --images empty"} {
			line := "report last " + name + ".tla -n 3" + images
			if text := ends(t, line, statusFailed); !strings.Contains(text, "sample.elf") {
				t.Errorf("%s says %q, without the file that is missing", line, text)
			}
		}
	}
}

// Where no program memory is read, --images is no flag, or none of what is read.
func TestImagesOfNoArchive(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := sample.Extract("capture"); err != nil {
		t.Fatal(err)
	}
	ends(t, "export capture -e capture/sample.elf -o run --level none --quiet", statusDone)
	for _, line := range []string{
		"packets capture --images capture",
		"report last run --images capture",
		"report last capture --images capture",
		"convert run --to perfetto --images capture -o p",
		"convert run --to lcov --images capture",
		"report calls run --images capture",
	} {
		ends(t, line, statusUsage)
	}
}

// ends runs a command, demands its exit status, and returns what it says on standard error.
func ends(t *testing.T, line string, want int) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := run(strings.Fields("tracelake "+line), &stdout, &stderr); status != want {
		t.Errorf("%s exits with %d, want %d: %s", line, status, want, stderr.String())
	}
	return stderr.String()
}
