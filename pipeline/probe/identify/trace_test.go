package identify_test

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/pipeline/probe/identify"
)

// The buffers of trace of the captures are what their snapshots say: no trace that is decoded is taken for
// trace that is not.
func TestCaptures(t *testing.T) {
	const stp, itm, perf = "trace of an STM (MIPI STP)", "trace of an ITM (SWO)", "a recording of Linux perf (perf.data)"
	files := map[string]string{}
	for file, want := range map[string]string{
		"am243x-r5f-etmv3-freertos-002b37c/tbr.bin": "",
		"am243x-r5f-etmv3-threadx-002b37c/tbr.bin":  "",
		"am243x-r5f-etmv3-threadx-ce42d22/tbr.bin":  "",
		"am243x-r5f-etmv3-zephyr-e9185a9/tbr.bin":   "",
		"ete-002-ack_test_scr/session1.bin":         "",
		"ete-ete_spec_1/session1.bin":               "",
		"ete-src_addr/session1.bin":                 "",
		"ete-trace_file_cid_vmid/session1.bin":      "",
		"ete-ts_marker/session1.bin":                "",
		"etm4-juno-uname-002/trace.bin":             "",
		"etm4-juno_r1_1/cstrace.bin":                "",
		"etm4-juno_r1_1/cstraceitm.bin":             stp,
		"lpc1769-m3-etmv34-smoothieware/tpiu.bin":   "",
		"opencsd-TC2/cstrace.bin":                   "",
		"opencsd-tc2-ptm-rstk-t32/PTM_0_2.bin":      "",
		"opencsd-trace_cov_a15/PTM_0_2.bin":         "",
		"perf-simpleperf-kernel/perf.data":          perf,
		"perf-simpleperf-unformatted/perf.data":     perf,
		"stm32f105-m3-etmv34-itm-swo/tpiu.bin":      "1 " + itm,
	} {
		files[shared.File(t, "captures/"+file)] = want
	}
	dir := t.TempDir()
	if err := sample.Extract(dir); err != nil {
		t.Fatal(err)
	}
	files[filepath.Join(dir, "trace.bin")] = ""
	for file, want := range files {
		f, err := identify.Path(file)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if f.Kind != identify.Unknown {
			got = f.What
		}
		for id, of := range f.Streams {
			got += string(rune('0'+id)) + " " + of.What
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

// repeated is what a text has, many times, which differ in a byte.
func repeated(text string) string {
	var b strings.Builder
	for i := range 100 {
		b.WriteString(strings.ReplaceAll(text, "#", string([]byte{byte(i)})))
	}
	return b.String()
}

// inFrames is a stream in formatter frames, as ID 1.
func inFrames(t *testing.T, stream string) string {
	t.Helper()
	var b bytes.Buffer
	w := frame.NewWriter(&b)
	if err := w.Write(1, []byte(stream)); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Streams are known by synchronisation and by packets that are sent, and by nothing less.
func TestStreams(t *testing.T) {
	const (
		asyncs     = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80"
		stp        = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x0f\x0f\x30\x04"
		stpHalf    = "\xf1\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xf0\x00\x03"
		pcSamples  = "\x17#\x02\x00\x08\xc0\x05\x8f\x01\x00\x00\x00"
		sysview    = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0a\x80\x10\x18\x0c\x80\x89\x7a\x80\x89\x7a\x80\x80\x80\x80\x02\x02\x00\x00\x0e\x04N=ab"
		isyncs     = "\x00\x00\x00\x00\x00\x80\x08\x24\x80\x00\x40\x29"
		threeWords = "\x01a\x02\x00\x01\x03\x00\x01\x02#"
	)
	noise := make([]byte, 1<<16)
	for i := range noise {
		noise[i] = byte(rand.NewPCG(1, uint64(i)).Uint64())
	}
	for _, tt := range []struct{ name, stream, want string }{
		{"ETMv4", asyncs + "\x01\x01\x00\x04\x9d", ""},
		{"ETMv4 in frames", inFrames(t, repeated(asyncs+"\x01\x01\x00\x04\x9d#\x00\x00\x00")), ""},
		{"PFT", repeated(isyncs + "#"), ""},
		{"PFT after zeros", asyncs + isyncs[6:] + repeated(isyncs), ""},
		{"one of ETMv4 in PFT", asyncs + "\x01\x01" + repeated(isyncs), ""},
		{"reserved control bits", asyncs + "\x01\x61", ""},
		{"STP", stp, "trace of an STM (MIPI STP)"},
		{"STP from half a byte on", stpHalf, "trace of an STM (MIPI STP)"},
		{"erased flash memory", strings.Repeat("\xff", 4096) + "\x00\x00\x00", ""},
		{"DWT", repeated(pcSamples), "trace of an ITM (SWO)"},
		{"DWT in frames", inFrames(t, repeated(pcSamples)), "trace of an ITM (SWO) in formatter frames"},
		{"STP in frames, and then none", inFrames(t, stp+stp) + string(noise), "trace of an STM (MIPI STP) in formatter frames"},
		{"software", repeated(threeWords), "trace of an ITM (SWO)"},
		{"printed text", strings.Repeat("\x01H\x01i\x01\n", 30), "trace of an ITM (SWO)"},
		{"too few packets", strings.Repeat("\x01H\x01i\x01\n", 10), ""},
		{"one byte", strings.Repeat("\x9a", 4096), ""},
		{"PC samples of a size that there is not", repeated("\x16#\x02\xc0\x05"), ""},
		{"noise", string(noise), ""},
		{"SystemView", sysview, "a recording of SEGGER SystemView"},
		{"SystemView, a file", ";\r\n; Version     SEGGER SystemViewer V2.42\r\n;\r\n" + sysview, "a recording of SEGGER SystemView"},
		{"five numbers in INIT", strings.Replace(sysview, "\x0c", "\x0d", 1), ""},
	} {
		f, err := identify.Content("trace.bin", strings.NewReader(tt.stream))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if f.Kind == identify.Foreign {
			got = f.What
		}
		if got != tt.want || (got == "") != (f.Kind == identify.Unknown) {
			t.Errorf("%s: %s %q, want %q", tt.name, f.Kind, f.What, tt.want)
		}
	}
}
