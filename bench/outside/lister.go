// Package outside has captures decoded by decoders that others wrote, OpenCSD's
// trc_pkt_lister and OpenOCD's etm analyze, for tests that compare with them.
//
// Its API is not stable (docs/guide/library.md).
package outside

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
)

// ErrMissing says that the program is not installed.
var ErrMissing = errors.New("needs trc_pkt_lister (Debian package libopencsd-bin)")

// A Lister is the program.
type Lister struct {
	path    string
	Version string // of its library
}

var libraryVersion = regexp.MustCompile(`Library Version : (\S+)`)

// Find looks for the program. It fails with [ErrMissing] if there is none.
func Find() (*Lister, error) {
	path, err := exec.LookPath("trc_pkt_lister")
	if err != nil {
		return nil, ErrMissing
	}
	dir, err := os.MkdirTemp("", "") // it leaves a file where it runs
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	help := exec.Command(path, "-h")
	help.Dir = dir
	out, err := help.CombinedOutput()
	m := libraryVersion.FindSubmatch(out)
	if m == nil {
		return nil, fmt.Errorf("%s -h does not print its version: %w\n%s", path, err, out)
	}
	return &Lister{path, string(m[1])}, nil
}

func (l *Lister) String() string { return "OpenCSD " + l.Version }

// Elements decodes the snapshot in a directory, and returns the elements of all
// sources, in the order listed. Flags are for what the snapshot does not say, such
// as -tpiu_hsync.
func (l *Lister) Elements(snapshot string, flags ...string) ([]Element, error) {
	log, err := os.CreateTemp("", "trc_pkt_lister")
	if err != nil {
		return nil, err
	}
	defer os.Remove(log.Name())
	defer log.Close()
	args := append([]string{"-ss_dir", snapshot, "-decode_only", "-logfilename", log.Name()}, flags...)
	if out, err := exec.Command(l.path, args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s, %s: %w\n%s", l, l.path, err, out)
	}
	var elements []Element
	for lines := bufio.NewScanner(log); ; {
		if !lines.Scan() {
			return elements, lines.Err()
		}
		if !bytes.Contains(lines.Bytes(), []byte("OCSD_GEN_TRC_ELEM_")) {
			continue
		}
		e, err := parseElement(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l, err)
		}
		elements = append(elements, e)
	}
}
