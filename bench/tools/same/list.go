package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// A list is what was made of a capture.
type list struct {
	capture string
	lines   []line
}

// A line is one thing that was made.
type line struct {
	hash string // in hex
	name string // below the capture: "none/parquet/counts/10-00000.parquet"
}

// add adds what has these bytes.
func (l *list) add(name string, p []byte) {
	sum := sha256.Sum256(p)
	l.lines = append(l.lines, line{hex.EncodeToString(sum[:]), name})
}

// sum is the hash of all lines.
func (l *list) sum() string {
	h := sha256.New()
	for _, x := range l.lines {
		fmt.Fprintf(h, "%s  %s\n", x.hash, x.name)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// readList reads a file that -o wrote, by name.
func readList(path string) (map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := map[string]string{}
	scanner := bufio.NewScanner(f)
	for scanner.Scan() {
		hash, name, ok := strings.Cut(scanner.Text(), "  ")
		if !ok {
			return nil, fmt.Errorf("%s: no line of a list: %q", path, scanner.Text())
		}
		lines[name] = hash
	}
	return lines, scanner.Err()
}

// errDiffers says that lists are not the same.
var errDiffers = errors.New("the lists differ")

// maxShown is how many differences are printed.
const maxShown = 200

// compare prints what differs between a list before and those made now: of captures that were
// made now. With columns it compares only hashes of columns that both have.
func compare(out io.Writer, before map[string]string, now []list, columns bool) error {
	var same, differ int
	show := func(what, name string) {
		if differ++; differ <= maxShown {
			fmt.Fprintf(out, "%s  %s\n", what, name)
		}
	}
	made := map[string]bool{}
	for _, l := range now {
		made[l.capture] = true
		for _, x := range l.lines {
			name := l.capture + "/" + x.name
			old, ok := before[name]
			delete(before, name)
			switch {
			case columns && (!ok || !strings.Contains(name, columnMark)):
			case !ok:
				show("new    ", name)
			case old != x.hash:
				show("differs", name)
			default:
				same++
			}
		}
	}
	if !columns {
		for name := range before {
			if capture, _, _ := strings.Cut(name, "/"); made[capture] {
				show("missing", name)
			}
		}
	}
	fmt.Fprintf(out, "%d captures: %d lines are the same, %d differ\n", len(now), same, differ)
	if differ > 0 || same == 0 {
		return errDiffers
	}
	return nil
}
