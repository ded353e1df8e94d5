package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/schema"
)

// maxManifest is the most bytes of a manifest that is read. One of 100,000 parts
// has 20 MB.
const maxManifest = 64 << 20

// seal is how a manifest ends: the hash of all bytes before.
const seal = "  \"manifest_sha256\": \"%x\"\n}\n"

// writeManifest returns a manifest as the bytes of its file.
func writeManifest(m *schema.Manifest) ([]byte, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", schema.ManifestFile, err)
	}
	text = append(bytes.TrimSuffix(text, []byte("\n}")), ",\n"...)
	return fmt.Appendf(text, seal, sha256.Sum256(text)), nil
}

// readManifest reads the manifest of d. If its bytes were changed, it fails with an
// [*Error] with Damaged.
func (d *Dataset) readManifest(r io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(r, maxManifest+1))
	if err != nil {
		return fmt.Errorf("read %s: %w", schema.ManifestFile, err)
	}
	if len(text) > maxManifest {
		return d.damaged(schema.ManifestFile, fmt.Sprintf("has more than %d bytes", maxManifest))
	}
	var m struct {
		schema.Manifest
		SHA256 *string `json:"manifest_sha256"`
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return d.damaged(schema.ManifestFile, "is no manifest: "+err.Error())
	}
	d.Manifest = m.Manifest
	d.sealed = m.SHA256 != nil || m.Views != nil || m.SchemaVersion != 1
	if d.sealed && !sealHolds(text) {
		return d.damaged(schema.ManifestFile, "is not as it was written: its SHA-256 is another than it says")
	}
	return nil
}

// sealHolds says whether a manifest ends in the hash of its bytes before.
func sealHolds(text []byte) bool {
	body := text[:max(0, len(text)-len(seal)+len("%x")-hex.EncodedLen(sha256.Size))]
	return bytes.Equal(text, fmt.Appendf(bytes.Clone(body), seal, sha256.Sum256(body)))
}

// sumOf returns name, size and hash of a file that is not a part.
func sumOf(path string, content []byte) *schema.FileSum {
	sum := sha256.Sum256(content)
	return &schema.FileSum{Path: path, Bytes: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
}
