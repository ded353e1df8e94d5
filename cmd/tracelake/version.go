package main

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/schema"
)

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:      "version",
		Usage:     "print the version of tracelake",
		UsageText: "tracelake version [--json]",
		Description: `It prints the version, the revision it was built from, the Go it was built with,
and the version of the schema: datasets of that version are those it writes.

Examples:
   tracelake version
   tracelake version --json`,
		Flags: []cli.Flag{groupOutput.bool("json", "print an object of JSON")},
		Action: func(ctx *cli.Context) error {
			if ctx.NArg() > 0 {
				return usage("version", "takes no argument", seeHelp(ctx.Command))
			}
			info, _ := debug.ReadBuildInfo()
			v := newBuildVersion(info)
			if ctx.Bool("json") {
				return writeJSON(ctx.App.Writer, v)
			}
			_, err := io.WriteString(ctx.App.Writer, v.text())
			return err
		},
	}
}

// A buildVersion says which program this is.
type buildVersion struct {
	Version       string `json:"version"`
	Revision      string `json:"revision,omitempty"` // "" if the build does not say
	Modified      bool   `json:"modified"`           // there were changes beside the revision
	Go            string `json:"go"`
	OS            string `json:"os"`
	Arch          string `json:"arch"`
	SchemaVersion int    `json:"schema_version"`
}

// newBuildVersion returns that of a build; info may be nil.
func newBuildVersion(info *debug.BuildInfo) buildVersion {
	v := buildVersion{
		Version: buildName(info), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		SchemaVersion: schema.Version,
	}
	if info == nil {
		return v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

func (v *buildVersion) text() string {
	revision := cmp.Or(v.Revision, "not known")
	if v.Modified {
		revision += ", with changes"
	}
	return fmt.Sprintf("tracelake %s\nrevision  %s\nbuilt by  %s for %s/%s\nschema    %d\n", v.Version, revision, v.Go,
		v.OS, v.Arch, v.SchemaVersion)
}

// release is the version that the linker was given by make release, "" in other builds.
var release string

// version is the name of the build.
func version() string {
	info, _ := debug.ReadBuildInfo()
	return buildName(info)
}

// tool is what manifests say of the program.
func tool() schema.Tool { return schema.Tool{Name: programName, Version: version()} }

// buildName is the version of the release, else that of the module, which go names by its
// commit where that has no tag.
func buildName(info *debug.BuildInfo) string {
	if info == nil || info.Main.Version == "(devel)" {
		return cmp.Or(release, "devel")
	}
	return cmp.Or(release, info.Main.Version, "devel")
}
