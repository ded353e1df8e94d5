package pipeline

import (
	"bufio"
	"compress/gzip"
	"os"
	"strings"
	"testing"
)

// A referenceLine is a line of a reference listing: its kind and its fields.
type referenceLine []string

// readReference reads the listing of a capture's source.
func readReference(t testing.TB, capture, source string) []referenceLine {
	t.Helper()
	f, err := os.Open(sharedFile(t, "captures/"+capture+"/expected/"+source+".tsv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var lines []referenceLine
	for scan := bufio.NewScanner(z); scan.Scan(); {
		lines = append(lines, strings.Split(scan.Text(), "\t"))
	}
	return lines
}
