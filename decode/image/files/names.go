package files

import (
	"path"
	"strconv"
	"strings"
	"unicode"

	"github.com/tracelake/tracelake/decode/image"
)

// deleted is what the kernel appends to the name of a file that is no longer there.
const deleted = " (deleted)"

// noFile are the beginnings of names of memory that no file has, and what it is.
var noFile = []struct{ prefix, what string }{
	{"[vdso]", vdso},
	{"[vsyscall]", vdso},
	{"[uprobes]", "is code that the kernel wrote for probes"},
	{"[", madeCode}, // [anon:…], [heap], [stack]
	{"//", madeCode},
	{"/anon_hugepage", madeCode},
	{"anon_inode:", madeCode},
	{"memfd:", madeCode},
	{"/memfd:", madeCode},
	{"/dev/ashmem", madeCode},
	{"/dev/zero", madeCode},
	{"/SYSV", madeCode},
}

const (
	vdso     = "is code of the kernel that every process has"
	madeCode = "is code that was made while the program ran"

	jitdumpRemedy = "let the program write a jitdump, and give --sysroot DIR that has its jit-PID.dump"
)

// checkName returns why nothing has the bytes that are mapped by a name, or nil.
func checkName(name string) error {
	for _, n := range noFile {
		if !strings.HasPrefix(name, n.prefix) {
			continue
		}
		remedy := jitdumpRemedy
		if n.what == vdso {
			remedy = "give its dump with -e FILE, if the recording has its build ID"
		}
		return &image.FormatError{Problem: n.what + ", which is in no file", Remedy: remedy}
	}
	if base := path.Base(name); strings.HasPrefix(base, "perf-") && strings.HasSuffix(base, ".map") {
		return &image.FormatError{
			Problem: madeCode + ", of which the file has names only",
			Remedy:  jitdumpRemedy,
		}
	}
	if !path.IsAbs(name) || path.Clean(name) != name {
		return &image.FormatError{
			Problem: "is no path that an operating system records", Remedy: "give the file with -e FILE",
		}
	}
	return nil
}

// printable reports whether a name shows what it is.
func printable(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

// Shown returns a recorded name for messages: quoted if it has characters that do not show.
func Shown(name string) string {
	if name == "" || !printable(name) {
		return strconv.Quote(name)
	}
	return name
}

// sameID reports whether two build IDs are the same but for zeros at the end: recordings
// fill them up to 20 bytes (docs/perfdata.md, §9).
func sameID(a, b string) bool { return stripID(a) == stripID(b) }

// stripID leaves out the zero bytes at the end of a build ID.
func stripID(id string) string {
	for strings.HasSuffix(id, "00") && len(id)%2 == 0 {
		id = id[:len(id)-2]
	}
	return id
}

// unpadded returns a build ID for messages, without the zeros that fill a shorter one up.
func unpadded(id string) string {
	if short := stripID(id); len(id)-len(short) >= len("00000000") {
		return short
	}
	return id
}
