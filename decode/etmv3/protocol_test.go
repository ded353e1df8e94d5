package etmv3

import (
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode"
)

type registers map[string]uint64

func (r registers) Lookup(name string) (uint64, bool) {
	v, ok := r[name]
	return v, ok
}

// Missing registers have defaults (docs/etmv3.md §1), and only some cores have the
// exceptions of v7-M.
func TestBindDefaults(t *testing.T) {
	for _, tt := range []struct {
		name      string
		source    decode.Source
		version   string
		profileM  bool
		alternate bool
		notes     int
	}{
		{"nothing known", decode.Source{Registers: registers{}}, "3.4", false, false, 3},
		{"Cortex-M3", decode.Source{Registers: registers{}, CoreType: "Cortex-M3", Profile: "M"}, "3.5", true, true, 3},
		{"Cortex-A7", decode.Source{Registers: registers{"ETMCR": 0}, CoreType: "Cortex-A7", Profile: "A"}, "3.5", false,
			false, 2},
		{"Cortex-A8", decode.Source{Registers: registers{}, CoreType: "cortex-a8", Profile: "A"}, "3.3", false, false, 3},
		{"Cortex-R5F", decode.Source{Registers: registers{}, CoreType: "Cortex-R5F", Profile: "R"}, "3.3", false, false, 3},
		{"Cortex-A53 is no Cortex-A5", decode.Source{Registers: registers{}, CoreType: "Cortex-A53", Profile: "A"}, "3.4",
			false, false, 3},
		{"ARM1176", decode.Source{Registers: registers{}, CoreType: "ARM1176JZF-S", Profile: "A"}, "3.1", false, false, 3},
		{"ETMIDR of an M, no core", decode.Source{Registers: registers{"ETMCR": 0, "ETMCCER": 0, "ETMIDR": 0x4114F250}},
			"3.5", true, true, 0},
		{"ETMIDR of an A, no core", decode.Source{Registers: registers{"ETMCR": 0, "ETMCCER": 0, "ETMIDR": 0x410CF250}},
			"3.5", false, false, 0},
		{"ETMIDR of an M, core A", decode.Source{Registers: registers{"ETMCR": 0, "ETMCCER": 0, "ETMIDR": 0x4114F250},
			Profile: "A"}, "3.5", false, true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, notes, err := Bind(tt.source)
			if err != nil {
				t.Fatal(err)
			}
			c := p.(*Config)
			if c.Version() != tt.version || c.ProfileM != tt.profileM || c.AltBranch != tt.alternate || len(notes) != tt.notes {
				t.Errorf("v%s, profile M %t, alternative encoding %t, notes %q", c.Version(), c.ProfileM, c.AltBranch, notes)
			}
		})
	}
}

// Registers of another protocol are refused, and the error names the register.
func TestBindRefuses(t *testing.T) {
	_, _, err := Bind(decode.Source{Registers: registers{"ETMCR": 0, "ETMCCER": 0, "ETMIDR": 0x411CF312}})
	if err == nil || !strings.Contains(err.Error(), "ETMIDR") {
		t.Errorf("ETMIDR of a PTM: %v", err)
	}
}
