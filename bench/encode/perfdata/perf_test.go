package perfdata

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
)

// told are the records of the story as perf lists them, by their types; those of rings come on top.
var told = map[uint32][]string{
	TypeTimeConv: {"TIME_CONV"},
	TypeMMAP:     {"MMAP -1/0: [0xffff800008010000(0x1000000) @ 0xffff800008010000]: x [kernel.kallsyms]_text"},
	TypeMMAP2: {
		"MMAP2 90/90: [0x1000(0x1000) @ 0 00:00 0 0]: r--p /bin/old",
		"MMAP2 100/100: [0x400000(0x2000) @ 0x1000 <0102030405060708090a0b0c0d0e0f1011121314>]: r-xp /bin/one",
		"MMAP2 100/100: [0x500000(0x2000) @ 0x1000 08:01 77 3]: --xp /bin/two",
	},
	TypeComm:         {"COMM exec: one:100/100", "COMM: worker:101/102"},
	TypeFork:         {"FORK(101:101):(100:100)", "FORK(101:102):(101:101)"},
	TypeExit:         {"EXIT(101:101):(101:101)"},
	TypeSwitch:       slices.Repeat([]string{"SWITCH OUT"}, len(storyRuns)),
	TypeAUXTraceInfo: {"AUXTRACE_INFO type: 3"},
	TypeITraceStart: {
		"ITRACE_START pid: 100 tid: 100", "ITRACE_START pid: 101 tid: 101", "ITRACE_START pid: 101 tid: 102", "ITRACE_START pid: 100 tid: 100",
	},
	TypeSwitchCPUWide: {"SWITCH_CPU_WIDE OUT next pid/tid: 5/6"},
	TypeLost:          {"LOST: id:512: lost:5"},
	TypeLostSamples:   {"LOST_SAMPLES: id:512: lost samples :6"},
	TypeTextPoke:      {"TEXT_POKE ffff800008010010 old len 4 new len 4"},
	TypeKSymbol:       {"KSYMBOL addr ffff80000a001000 len 256 type 1 flags 0x0 name bpf_prog"},
	TypeAUXOutputHWID: {"AUX_OUTPUT_HW_ID hw_id: 0x100000000000310", "AUX_OUTPUT_HW_ID hw_id: 0x100000000000111"},
}

// Perf itself lists the records that were written, with their CPUs, times and sizes.
func TestPerfLists(t *testing.T) {
	perf := need.Tool(t, need.Perf, "perf")
	for _, v := range variants {
		switch v.name {
		case "version 2", "version 2, by sink", "compressed since 6.16", "attributes of 136 bytes":
			continue // later than perf of Debian 12
		case "no trailers", "interrupted":
			continue // perf lists nothing
		}
		t.Run(v.name, func(t *testing.T) {
			v.session.HardwareIDs, v.session.Sinks = true, true
			r, b := written(t, v.session, v.change)
			got := perfListing(t, perf, b)
			want := listing(t, r)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("perf lists\n%s, want\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// listing is what perf has to list.
func listing(t *testing.T, r *Recording) []string {
	t.Helper()
	left := maps.Clone(told)
	var lines []string
	for _, x := range r.all() {
		b, err := x.append(nil, r.SampleType)
		if err != nil {
			t.Fatal(err)
		}
		cpu, time := fmt.Sprint(x.Stamp.CPU), x.Stamp.Time
		if r.SampleType&SampleCPU == 0 && x.Type < firstUser {
			cpu = "-1"
		}
		text := listed(&x)
		if text == "" {
			text, left[x.Type] = left[x.Type][0], left[x.Type][1:]
		}
		lines = append(lines, fmt.Sprintf("%s %d [0x%x]: %s", cpu, time, len(b), text))
	}
	for kind, texts := range left {
		if len(texts) > 0 {
			t.Errorf("%d records of type %d are not there", len(texts), kind)
		}
	}
	return lines
}

// listed is the text of a record that is not the same in all formats.
func listed(r *Record) string {
	hex := func(at int) string {
		return strings.Replace(fmt.Sprintf("%#x", order.Uint64(r.Body[at:])), "0x0", "0", 1)
	}
	signed := func(at int) int32 { return int32(order.Uint32(r.Body[at:])) }
	switch r.Type {
	case TypeAUX:
		flags := order.Uint64(r.Body[16:])
		var text strings.Builder
		text.WriteString("[")
		for i, letter := range "TOPC" {
			if flags>>i&1 != 0 {
				text.WriteString(string(letter))
			}
		}
		return fmt.Sprintf("AUX offset: %s size: %s flags: %s %s]", hex(0), hex(8), hex(16), text.String())
	case TypeAUXTrace:
		return fmt.Sprintf("AUXTRACE size: %s offset: %s ref: %s idx: %d tid: %d cpu: %d", hex(0), hex(8), hex(16), signed(24), signed(28), signed(32))
	case TypeFinishedRound:
		return "FINISHED_ROUND"
	case TypeFinishedInit:
		return "FINISHED_INIT"
	}
	return ""
}

// perfListing are the records that perf lists of a file, but those that say what the whole is.
func perfListing(t *testing.T, perf string, file []byte) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), perf, "script", "--dump-raw-trace", "-i", "perf.data",
		"--kallsyms", os.DevNull) // else it names places of the kernel that it runs on
	cmd.Dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(cmd.Dir, "perf.data"), file, 0o644); err != nil {
		t.Fatal(err)
	}
	if file[8] == pipeHeader {
		cmd.Args[4], cmd.Stdin = "-", bytes.NewReader(file)
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	// As in "3 1000012000 0x5c8 [0x30]: PERF_RECORD_ITRACE_START pid: 101 tid: 102".
	line := regexp.MustCompile(`(?m)^(-?\d+) (-?\d+) \S+ (\[0x[0-9a-f]+\]): PERF_RECORD_(.*)$`)
	var lines []string
	for _, m := range line.FindAllStringSubmatch(string(out), -1) {
		text := strings.TrimSuffix(strings.Join(strings.Fields(m[4]), " "), ": unhandled!")
		if text != "ATTR" && text != "FEATURE" {
			lines = append(lines, fmt.Sprintf("%s %s %s: %s", m[1], m[2], m[3], text))
		}
	}
	return lines
}

// Perf lists the build IDs, of any length, and what features say.
func TestPerfHeader(t *testing.T) {
	perf := need.Tool(t, need.Perf, "perf")
	_, b := written(t, Session{Version: 1}, func(r *Recording) { r.Compression = Compressed })
	name := filepath.Join(t.TempDir(), "perf.data")
	if err := os.WriteFile(name, b, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ args, want string }{
		{"buildid-list", "0102030405060708090a0b0c0d0e0f1011121314 /bin/one\n"},
		{"buildid-list", "0102030405060708                         [kernel.kallsyms]\n"},
		{"report --header-only", "# hostname : bench\n"},
		{"report --header-only", "# arch : aarch64\n"},
		{"report --header-only", "# cmdline : perf record -e cs_etm// \n"},
		{"report --header-only", "# pmu mappings: cs_etm = 9\n"},
		{"report --header-only", "# compressed : Zstd, level = 1, ratio = 4\n"},
		{"report --header-only", "# contains AUX area data"},
	} {
		out, err := exec.CommandContext(t.Context(), perf, append(strings.Fields(tt.args), "-i", name)...).Output()
		if err != nil || !strings.Contains(string(out), tt.want) {
			t.Errorf("perf %s: no %q, %v\n%s", tt.args, tt.want, err, out)
		}
	}
}
