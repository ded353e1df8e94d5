package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/pft"
)

//go:embed driver/opencsd.c
var driverSource []byte

// A driverRun is what the driver prints.
type driverRun struct {
	measured
	Elements, NoAccess, Fatals int64
	Version                    string
}

// buildDriver compiles the driver.
func buildDriver(work string) (string, error) {
	name := filepath.Join(work, "opencsd")
	if err := os.WriteFile(name+".c", driverSource, 0o666); err != nil {
		return "", err
	}
	out, err := exec.Command("cc", "-O2", "-Wall", "-o", name, name+".c", "-lopencsd_c_api").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("the driver for OpenCSD is not built: it needs a C compiler and the library, in Debian: "+
			"apt-get install gcc libopencsd-dev: %w\n%s", err, out)
	}
	return name, nil
}

// A theirs is a decoder of OpenCSD: its name, and the registers that it takes.
type theirs struct {
	name      string
	registers []string
}

// etmRegisters are what decoders of ETMv3 and PTM take.
var etmRegisters = []string{"ETMIDR", "ETMCR", "ETMCCER", "ETMTRACEIDR"}

// etmv4Registers are what a decoder of ETMv4 takes.
var etmv4Registers = []string{"TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8", "TRCCONFIGR", "TRCTRACEIDR"}

// decoders are those of OpenCSD, by protocol.
var decoders = map[string]theirs{
	"pft":   {"PTM", etmRegisters},
	"etmv3": {"ETMV3", etmRegisters},
	"etmv4": {"ETMV4I", etmv4Registers},
	"ete":   {"ETE", append(slices.Clip(etmv4Registers), "TRCDEVARCH")},
}

// writeList writes what the driver reads of a snapshot, and beside it a file of each
// region of program memory.
func writeList(name, snapshot string) error {
	families := []decode.Family{pft.Family(), etmv3.Family(), etmv4.Family(), etmv4.ETEFamily()}
	c, err := capture.Open(snapshot, families, capture.Options{})
	if err != nil {
		return err
	}
	defer c.Close()
	var list bytes.Buffer
	b := c.Buffers[0]
	how := map[capture.Format]string{capture.CoreSight: "frames", capture.SourceData: "raw"}[b.Format]
	fmt.Fprintf(&list, "trace %s %s\n", filepath.Join(snapshot, b.Files[0]), how)
	for _, s := range c.SourcesIn(b) {
		if err := addSource(&list, s); err != nil {
			return err
		}
	}
	for i := range c.Regions {
		r := &c.Regions[i]
		if slices.ContainsFunc(c.Regions[:i], func(o image.Region) bool { return same(&o, r) }) {
			continue // of another core
		}
		file := fmt.Sprintf("%s.%d", name, i)
		if err := os.WriteFile(file, r.Bytes, 0o666); err != nil {
			return err
		}
		fmt.Fprintf(&list, "memory %x %s %s\n", r.Address, r.Space, file)
	}
	return os.WriteFile(name, list.Bytes(), 0o666)
}

// addSource adds the line of a source that OpenCSD can decode.
func addSource(list *bytes.Buffer, s *capture.Source) error {
	decoder, ok := decoders[s.Protocol]
	if !ok {
		return nil
	}
	profile := s.Profile
	if profile == capture.ProfileUnknown {
		profile = capture.ProfileA
	}
	fmt.Fprintf(list, "source %s %s", decoder.name, profile)
	for _, name := range decoder.registers {
		value, ok := s.Registers.Lookup(name)
		if !ok {
			return fmt.Errorf("source %s has no %s, which OpenCSD needs", s.Name, name)
		}
		fmt.Fprintf(list, " %x", value)
	}
	list.WriteByte('\n')
	return nil
}

// same says whether two regions are the same memory: OpenCSD has one memory for all
// cores.
func same(a, b *image.Region) bool {
	return a.Address == b.Address && a.Space == b.Space && bytes.Equal(a.Bytes, b.Bytes)
}

// machine says what this runs on.
func machine() string {
	f, err := os.Open("/proc/cpuinfo")
	if errors.Is(err, os.ErrNotExist) {
		return "unknown processor"
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}
