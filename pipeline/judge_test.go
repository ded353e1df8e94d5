package pipeline

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/pipeline/probe/reading"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/verdict"
)

// A capture that is read rightly is Good, but for its gaps. Read with the wrong protocol, register or program it is
// not, and the reading says why, and what to do: where no check agrees it may be the program, or the protocol. Everyone who asks has the same reading, and the same word.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	rstk := rstkMemory(t)
	for i, tt := range []struct {
		name    string
		capture string // below ../shared/captures; "" is the sample
		opt     capture.Options
		source  string
		word    verdict.Word
		want    string // of the reading; after "…" how it ends
	}{
		{"sample", "", capture.Options{}, "0x10", verdict.Good, ""},
		{"return stack", "opencsd-tc2-ptm-rstk-t32", capture.Options{}, "0x02", verdict.Good, ""},
		{
			"return stack off", "opencsd-tc2-ptm-rstk-t32/PTM_0_2.bin",
			capture.Options{Protocol: "pft", Images: rstk},
			"0x00", verdict.GoodWithGaps,
			"71.55 % not matched to code: 5,998 × E atom on an indirect branch, but the return stack is off: add --reg ETMCR=0x20000400",
		},
		{
			"PTM as ETMv3", "opencsd-tc2-ptm-rstk-t32/PTM_0_2.bin",
			capture.Options{Protocol: "etmv3", Images: rstk},
			"0x00", verdict.WrongProgram,
			"97.80 % lost: 18 × header 0xd2: a P-header that v3.4 reserves in this mode: as pft 99.98 % would decode: --protocol pft --reg ETMCR=0x20000400",
		},
		{
			"ETMv3 as PTM", "am243x-r5f-etmv3-freertos-002b37c",
			capture.Options{Regs: []string{"ETMIDR=0x411CF312"}},
			"0x10", verdict.WrongProgram,
			"…: as etmv3 99.98 % would decode: --reg ETMCCER=0x0 --reg ETMCR=0x0 --reg ETMIDR=0x4104F240",
		},
		{"FreeRTOS", "am243x-r5f-etmv3-freertos-002b37c", capture.Options{}, "0x10", verdict.Good, ""},
		{"a splice in a ring", "am243x-r5f-etmv3-zephyr-e9185a9", capture.Options{}, "0x10", verdict.GoodWithGaps, ""},
		{"ThreadX", "am243x-r5f-etmv3-threadx-ce42d22", capture.Options{}, "0x10", verdict.Good, ""},
		{"another program", "am243x-r5f-etmv3-threadx-002b37c", capture.Options{}, "0x10", verdict.WrongProgram, "99.19 % contradicted"},
		{"cycle-accurate ETMv3", "opencsd-TC2", capture.Options{}, "0x12", verdict.GoodWithGaps, ""},
		{
			"memory missing", "opencsd-TC2",
			capture.Options{},
			"0x13", verdict.GoodWithGaps,
			"2.05 % not matched to code: 10 × no program memory at 0xc03e398e: give it with -e FILE or --image FILE@ADDR",
		},
		{"windows", "stm32f105-m3-etmv34-itm-swo", capture.Options{}, "0x02", verdict.GoodWithGaps, ""},
		{"36 bytes", "opencsd-trace_cov_a15", capture.Options{}, "0x02", verdict.Good, ""},
		{"ETE", "ete-src_addr", capture.Options{}, "0x02", verdict.GoodWithGaps, ""},
		{
			"ETE as ETMv4", "ete-src_addr/session1.bin",
			capture.Options{Protocol: "etmv4", Images: modelMemory(t, "ete-src_addr/bindir_64")},
			"0x00", verdict.GoodWithGaps,
			"97.00 % lost: header 0xb6: a packet of an ETE, which TRCIDR1 and TRCDEVARCH do not say: " +
				"as ete 98.61 % would decode: --protocol ete --reg TRCCONFIGR=0x11",
		},
		{
			"ETE, another program", "ete-src_addr/session1.bin",
			capture.Options{Protocol: "ete", Regs: []string{"TRCCONFIGR=0x11"}, Images: modelMemory(t, "ete-trace_file_cid_vmid/bindir")},
			"0x00", verdict.WrongProgram, "74.62 % contradicted",
		},
		{
			"ETE, a register of another core", "ete-src_addr",
			capture.Options{Regs: []string{"TRCIDR0=0x801CEA1"}},
			"0x02", verdict.GoodWithGaps,
			"93.45 % lost: header 0x59: a packet of conditional tracing, which TRCCONFIGR[10:8] and TRCIDR0[6] do not say: " +
				"add --reg TRCIDR0=0x2801CEA1",
		},
	} {
		if testing.Short() && i > 2 {
			break // each is judged by the same goroutines
		}
		t.Run(tt.name, func(t *testing.T) {
			input := ""
			if tt.capture == "" {
				input = sampleSnapshot(t)
			} else {
				input = shared.File(t, "captures/"+tt.capture)
			}
			for who, v := range readingsOf(t, input, tt.opt, tt.source) {
				got := v.String()
				if end, ok := strings.CutPrefix(tt.want, "…"); ok && strings.HasSuffix(got, end) {
					got = tt.want
				}
				if v.word != tt.word || got != tt.want {
					t.Errorf("%s: %s: %s\nwant %s: %s", who, v.word, got, tt.word, tt.want)
				}
			}
		})
	}
}

// Where nothing is decoded, the error has the remedy.
func TestNothingHasRemedy(t *testing.T) {
	for _, tt := range []struct{ capture, reg, want string }{
		{"", "ETMCR=0x20004000", "ETMCR=0x20005000"},                   // not cycle-accurate
		{"ete-trace_file_cid_vmid", "TRCIDR2=0x488", "TRCIDR2=0x1088"}, // a VMID of one byte
	} {
		t.Run(tt.reg, func(t *testing.T) {
			input, opt := "", capture.Options{Regs: []string{tt.reg}}
			if tt.capture == "" {
				input = sampleSnapshot(t)
			} else {
				input = shared.File(t, "captures/"+tt.capture)
			}
			_, err := Export(t.Context(), input, filepath.Join(t.TempDir(), "out"), Options{Capture: opt, Workers: 1})
			if err == nil || !strings.HasSuffix(err.Error(), ": its packets report no instruction: add --reg "+tt.want) {
				t.Error(err)
			}
		})
	}
}

// rstkMemory is the program of the capture tc2-ptm-rstk-t32, as --image has it.
func rstkMemory(t *testing.T) []string {
	dir, ok := shared.Find(t, "captures/opencsd-tc2-ptm-rstk-t32")
	if !ok {
		return nil
	}
	return []string{
		filepath.Join(dir, "mem_Cortex-A15_0_0_VECTORS.bin") + "@0x80000000",
		filepath.Join(dir, "mem_Cortex-A15_0_1_RO_CODE.bin") + "@0x80000278",
	}
}

// modelMemory is the program of a capture of a model, or what is at its addresses in another one's.
func modelMemory(t *testing.T, dir string) []string {
	path, ok := shared.Find(t, "captures/"+dir)
	if !ok {
		return nil
	}
	return []string{
		filepath.Join(path, "OTHERS_exec") + "@0x60000",
		filepath.Join(path, "VAL_NON_DET_CODE_exec") + "@0x10000",
	}
}

// A judgedReading is a reading with the word for it.
type judgedReading struct {
	*reading.Reading
	word verdict.Word
}

// readingsOf returns what inspect, report quality and export say of a source.
func readingsOf(t *testing.T, input string, opt capture.Options, source string) map[string]judgedReading {
	t.Helper()
	readings := map[string]judgedReading{}
	in, err := Inspect(t.Context(), input, opt)
	if err != nil {
		t.Fatal(err)
	}
	for i := range in.Sources {
		if s := &in.Sources[i]; s.Source == source {
			readings["inspect"] = judgedReading{s.Sample.Reading, *s.Sample.Verdict}
		}
	}
	report, err := Quality(t.Context(), input, QualityOptions{Capture: opt, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range report.Sources {
		if s := &report.Sources[i]; s.Source == source {
			readings["quality"] = judgedReading{s.Reading, *s.Verdict}
		}
	}
	summary, err := Export(t.Context(), input, filepath.Join(t.TempDir(), "out"), Options{Capture: opt, Workers: 1, Level: schema.LevelBlocks, Tables: []*schema.Table{}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range summary.Sources {
		if s := &summary.Sources[i]; schema.SourceText(s.Source) == source {
			readings["export"] = judgedReading{s.Reading, verdict.Judge(&verdict.Facts{Sources: []schema.SourceTotals{s.SourceTotals}}).Word}
		}
	}
	if len(readings) != 3 {
		t.Fatalf("source %s is not there", source)
	}
	return readings
}
