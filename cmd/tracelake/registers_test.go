package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/decodetest/shared"
)

// Registers of a snapshot that are missing, or those of another core: inspect proposes those that the packets show, and what
// it proposes is what decodes.
func TestRegistersProposed(t *testing.T) {
	const missing = "" // no line of any register but the trace ID
	for _, tt := range []struct {
		name, capture string
		registers     string // NAME=VALUE in place of those of the snapshot
		want          string // of the proposed line, after the dataset
	}{
		{"cycle counts", "ete-src_addr", missing, " --reg TRCCONFIGR=0x11"},
		{"Context ID and VMID", "ete-trace_file_cid_vmid", missing, " --reg TRCCONFIGR=0xC1"},
		{"speculation", "ete-ete_spec_1", missing, " --reg TRCIDR8=0xF"},
		{"timestamps, their markers", "ete-ts_marker", missing, " --reg TRCCONFIGR=0x801 --reg TRCDEVARCH=0x47715A13"},
		{"nothing", "ete-002-ack_test_scr", missing, ""},
		{
			"sizes of another core", "etm4-juno_r1_1", "TRCCONFIGR=0x1 TRCIDR2=0x4 TRCIDR0=0x28000EA1 TRCIDR1=0x4100F403",
			" --reg TRCCONFIGR=0xC1 --reg TRCIDR2=0x484",
		},
		{
			"counts of another core", "ete-src_addr", "TRCCONFIGR=0x11 TRCIDR0=0x0801CEA1 TRCIDR2=0xD0001088 TRCDEVARCH=0x47705A13",
			" --reg TRCIDR0=0x2801CEA1",
		},
		{"its own", "etm4-juno_r1_1", "TRCCONFIGR=0xC1 TRCIDR2=0x488 TRCIDR0=0x28000EA1 TRCIDR1=0x4100F403", " -e PROGRAM.elf"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := withRegisters(t, shared.File(t, "captures/"+tt.capture), strings.Fields(tt.registers))
			p := newProposer(t, dir, "")
			out := p.printed("tracelake inspect " + dir)
			if want := "tracelake export " + dir + " -o run" + tt.want + "\n"; !strings.Contains(out, want) {
				t.Errorf("%s\nwant %s", out, want)
			}
			if !strings.HasPrefix(tt.capture, "etm4-juno_r1_1") { // its memory is not the code that ran
				p.try("tracelake inspect " + dir)
			}
		})
	}
}

// printed is what a command says.
func (p *proposer) printed(line string) string {
	var stdout, stderr bytes.Buffer
	run(strings.Fields(line), &stdout, &stderr)
	return stdout.String() + stderr.String()
}

var traceRegister = regexp.MustCompile(`(?m)^TRC(CONFIGR|IDR\d+|DEVARCH).*\n`)

// withRegisters copies a snapshot, in which all trace sources have other registers.
func withRegisters(t *testing.T, from string, registers []string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.ini"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(b, []byte("TRCTRACEIDR")) {
			continue
		}
		b = traceRegister.ReplaceAll(b, nil)
		b = bytes.Replace(b, []byte("[regs]\n"), []byte("[regs]\n"+strings.Join(registers, "\n")+"\n"), 1)
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
