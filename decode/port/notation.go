package port

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ParseSamples reads samples as people write them, "TD:09 IE:20*": status, TRACEPKT in
// hex, and * for TRACESYNC. Names has the statuses by their codes.
func ParseSamples(text string, names []string) ([]Sample, error) {
	var samples []Sample
	for word := range strings.FieldsSeq(text) {
		pins, sync := strings.CutSuffix(word, "*")
		name, hex, ok := strings.Cut(pins, ":")
		status := slices.Index(names, name)
		if !ok || status < 0 {
			return nil, fmt.Errorf("%q is no sample STATUS:TRACEPKT with a status of %s", word, strings.Join(names, " "))
		}
		packet, err := strconv.ParseUint(hex, 16, 16)
		if err != nil {
			return nil, fmt.Errorf("TRACEPKT of %q: %w", word, err)
		}
		samples = append(samples, NewSample(uint8(status), sync, uint16(packet)))
	}
	return samples, nil
}

// FormatSamples writes samples as [ParseSamples] reads them, TRACEPKT with as many
// digits as the port has.
func FormatSamples(samples []Sample, names []string, w Width) string {
	var b strings.Builder
	for i, s := range samples {
		if i > 0 {
			b.WriteByte(' ')
		}
		name := strconv.Itoa(int(s.Status()))
		if int(s.Status()) < len(names) {
			name = names[s.Status()]
		}
		fmt.Fprintf(&b, "%s:%0*x", name, int(w)/4, s.Packet())
		if s.Sync() {
			b.WriteByte('*')
		}
	}
	return b.String()
}
