package main

import (
	"bytes"
	"crypto/md5" //nolint:gosec // it is what the format has
	"fmt"
	"time"
)

const (
	summary = "decodes Arm CoreSight captures into Parquet or Arrow tables"
	website = "https://github.com/tracelake/tracelake"
)

// deb is a Debian package (deb(5)): an archive of ar with the version of the format, what
// dpkg is to know, and the files.
func (p *product) deb() (file, error) {
	f := file{name: fmt.Sprintf("tracelake_%s_%s.deb", p.version.debian(), p.arch), mode: 0o644}
	installed := []file{
		{"./usr/bin/tracelake", 0o755, p.binary},
		{"./usr/share/doc/tracelake/copyright", 0o644, p.notice},
	}
	var folders []file
	for _, name := range []string{"", "usr/", "usr/bin/", "usr/share/", "usr/share/doc/", "usr/share/doc/tracelake/"} {
		folders = append(folders, file{"./" + name, 0o755, nil})
	}
	control, err := tarball([]file{
		{"./", 0o755, nil},
		{"./control", 0o644, p.control(installed)},
		{"./md5sums", 0o644, md5sums(installed)},
	}, p.time)
	if err != nil {
		return f, err
	}
	data, err := tarball(append(folders, installed...), p.time)
	if err != nil {
		return f, err
	}
	f.text = ar([]file{
		{"debian-binary", 0o644, []byte("2.0\n")},
		{"control.tar.gz", 0o644, control},
		{"data.tar.gz", 0o644, data},
	}, p.time)
	return f, nil
}

// control is what dpkg is to know. The size is in KiB. The program needs no library.
func (p *product) control(installed []file) []byte {
	size := 0
	for _, f := range installed {
		size += (len(f.text) + 1023) / 1024
	}
	return fmt.Appendf(nil, `Package: tracelake
Version: %s
Architecture: %s
Maintainer: The tracelake developers
Installed-Size: %d
Section: devel
Priority: optional
Homepage: %s
Description: %s
`, p.version.debian(), p.arch, size, website, summary)
}

// md5sums is what dpkg --verify compares.
func md5sums(files []file) []byte {
	var b bytes.Buffer
	for _, f := range files {
		fmt.Fprintf(&b, "%x  %s\n", md5.Sum(f.text), f.name[len("./"):]) //nolint:gosec // see above
	}
	return b.Bytes()
}

// ar returns an archive of ar (ar(5)): a line for each file, then its text, which ends at
// an even byte.
func ar(files []file, at time.Time) []byte {
	b := bytes.NewBufferString("!<arch>\n")
	for _, f := range files {
		fmt.Fprintf(b, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", f.name, at.Unix(), 0, 0, 0o100000|f.mode, len(f.text))
		b.Write(f.text)
		if len(f.text)%2 == 1 {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}
