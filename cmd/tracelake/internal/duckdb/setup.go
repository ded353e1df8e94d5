// Package duckdb writes the lines that open datasets in the shell of DuckDB.
package duckdb

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A PathError says that DuckDB cannot read a directory by its name.
type PathError struct{ Dir, Problem string }

func (e *PathError) Error() string {
	return fmt.Sprintf("%s: %s; rename it, or name it by another path", e.Dir, e.Problem)
}

// Setup returns the lines for the shell that make views of the datasets in dirs, by
// the script views. The variable comes first: the script reads it. Then queries read
// and write nothing but files in dirs, unless unsafe is true.
func Setup(dirs []string, views string, unsafe bool) ([]string, error) {
	names, allowed := make([]string, len(dirs)), []string(nil)
	for i, dir := range dirs {
		path, err := slashes(dir)
		if err != nil {
			return nil, err
		}
		names[i] = sqlString(globLiteral(path))
		allowed = append(allowed, sqlString(path)) // of what is found by the pattern
		if pattern := names[i]; pattern != sqlString(path) {
			allowed = append(allowed, pattern)
		}
	}
	script, err := slashes(views)
	if err != nil {
		return nil, err
	}
	lines := []string{
		"SET VARIABLE tracelake_dirs = [" + strings.Join(names, ", ") + "];",
		".read " + shellString(script),
	}
	if !unsafe {
		lines = append(lines, "SET allowed_directories = ["+strings.Join(allowed, ", ")+"];",
			"SET enable_external_access = false;", "SET lock_configuration = true;")
	}
	return lines, nil
}

// slashes returns a path as DuckDB writes it. It takes a backslash for a separator
// everywhere, ~ for the home directory, and what .read runs begins with a bar.
func slashes(path string) (string, error) {
	path = filepath.ToSlash(path)
	if os.PathSeparator == '/' && strings.Contains(path, `\`) {
		return "", &PathError{path, `DuckDB takes the \ in the name for a separator`}
	}
	if strings.HasPrefix(path, "~") || strings.HasPrefix(path, "|") {
		path = "./" + path
	}
	return path, nil
}

// globLiteral returns a pattern that only path matches.
func globLiteral(path string) string {
	return strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(path)
}

// sqlString returns a string of SQL.
func sqlString(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// shellString returns an argument of a dot command: within double quotes the shell
// knows escapes.
func shellString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`).Replace(s) + `"`
}
