package main

import (
	"runtime/debug"
	"strings"
	"testing"
)

// A build is named by its version, else by devel; the revision is that of the build.
func TestVersion(t *testing.T) {
	build := func(version string, settings ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{Main: debug.Module{Version: version}}
		for i := 0; i < len(settings); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return info
	}
	for _, tt := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, "tracelake devel\nrevision  not known\n"},
		{build("(devel)"), "tracelake devel\nrevision  not known\n"},
		{build("", "vcs.revision", "abc"), "tracelake devel\nrevision  abc\n"},
		{build("v1.2.3", "vcs.revision", "abc", "vcs.modified", "true"), "tracelake v1.2.3\nrevision  abc, with changes\n"},
		{build("v1.2.3", "vcs.revision", "abc", "vcs.modified", "false"), "tracelake v1.2.3\nrevision  abc\n"},
	} {
		v := newBuildVersion(tt.info)
		if !strings.HasPrefix(v.text(), tt.want) {
			t.Errorf("%q, want %q", v.text(), tt.want)
		}
	}
}
