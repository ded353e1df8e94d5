package datasettest_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema/datasettest"
)

func TestWhatIsWrongIsSaid(t *testing.T) {
	for line, want := range map[string]string{
		"row 1":                           "no such thing",
		"loss 1":                          "2 words, need 3",
		"function 0x1000 8 main at=main":  "main is not FILE:LINE",
		"function 0x1000 8 main size2=4":  "there is no column size2",
		"code 0x1000 thumb other":         "thumb is none of",
		"code 0x1000 a32 jump":            "jump is none of",
		"edge 0x1000 near branch taken":   "near",
		`label name "not closed`:          "invalid syntax",
		"source 0x11 bytes=many":          "many",
		"file fw.elf 0x1000 16 match=all": "all",
	} {
		err := datasettest.Write(filepath.Join(t.TempDir(), "run"), "source 0x10\n"+line)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}
