package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

// platforms are those of wheels for a target. The program is linked statically, so that it
// is for any C library. macOS is the oldest that Go 1.26 makes programs for.
var platforms = map[string][]string{
	"linux/amd64":   {"manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"},
	"linux/arm64":   {"manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"},
	"darwin/amd64":  {"macosx_12_0_x86_64"},
	"darwin/arm64":  {"macosx_12_0_arm64"},
	"windows/amd64": {"win_amd64"},
	"windows/arm64": {"win_arm64"},
}

// wheel is a package for pip (binary distribution format of packaging.python.org): the
// module, and the program as a script, which pip puts onto the path.
func (p *product) wheel() (file, error) {
	tags := platforms[p.system+"/"+p.arch]
	base := "tracelake-" + p.version.python()
	f := file{name: fmt.Sprintf("%s-py3-none-%s.whl", base, strings.Join(tags, ".")), mode: 0o644}
	if tags == nil {
		return f, fmt.Errorf("no platform of wheels is known for it; add it to platforms")
	}
	info := base + ".dist-info/"
	files := append(slices.Clip(p.python),
		file{base + ".data/scripts/" + p.program(), 0o755, p.binary},
		file{info + "METADATA", 0o644, p.metadata()},
		file{info + "WHEEL", 0o644, wheelTags(tags)},
		file{info + "licenses/NOTICE", 0o644, p.notice})
	var err error
	f.text, err = zipped(append(files, record(files, info+"RECORD")), p.time)
	return f, err
}

// metadata is what pip is to know (core metadata of packaging.python.org).
func (p *product) metadata() []byte {
	return fmt.Appendf(nil, `Metadata-Version: 2.4
Name: tracelake
Version: %s
Summary: %s
Project-URL: Source, %s
License-File: NOTICE
Requires-Python: >=3.10
`, p.version.python(), summary, website)
}

func wheelTags(platforms []string) []byte {
	b := bytes.NewBufferString("Wheel-Version: 1.0\nGenerator: tracelake\nRoot-Is-Purelib: false\n")
	for _, platform := range platforms {
		fmt.Fprintf(b, "Tag: py3-none-%s\n", platform)
	}
	return b.Bytes()
}

// record lists files with their hashes, and itself without one.
func record(files []file, name string) file {
	var b bytes.Buffer
	for _, f := range files {
		sum := sha256.Sum256(f.text)
		fmt.Fprintf(&b, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.text))
	}
	fmt.Fprintf(&b, "%s,,\n", name)
	return file{name, 0o644, b.Bytes()}
}
