package linetable

import (
	"path"
	"strings"
)

// File returns the path of a file: joined to its directory, and that to the
// directory of compilation, as far as they are relative (6.2.4). It has slashes,
// whatever the host of the compiler, and no dots, since units write the same file
// in many ways. It is "" if there is no such file.
func (u *Unit) File(number uint32, compilation string) string {
	i := int64(number) - int64(u.base)
	if i < 0 || i >= int64(len(u.files)) {
		return ""
	}
	f := u.files[i]
	if len(f.name) == 0 {
		return ""
	}
	return path.Clean(join(u.directory(f.directory, compilation), string(f.name)))
}

// directory returns the path of a directory.
func (u *Unit) directory(number uint64, compilation string) string {
	root := join(compilation, "")
	if u.base == 0 && len(u.directories) > 0 {
		root = join(root, string(u.directories[0]))
	}
	i := number - uint64(u.base)
	if number == 0 || i >= uint64(len(u.directories)) {
		return root
	}
	return join(root, string(u.directories[i]))
}

// join returns a path below a directory, with slashes, unless it is absolute.
func join(directory, name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	directory = strings.ReplaceAll(directory, `\`, "/")
	switch {
	case absolute(name) || directory == "":
		return name
	case name == "":
		return directory
	}
	return strings.TrimSuffix(directory, "/") + "/" + name
}

// absolute reports whether a path with slashes begins at a root, as "/a" and
// "C:/a" do.
func absolute(name string) bool {
	return strings.HasPrefix(name, "/") || len(name) > 2 && name[1] == ':' && name[2] == '/'
}
