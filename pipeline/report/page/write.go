package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the template and the style sheet
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed report.css
	styles string
)

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// policy is the content security policy: the page needs its style and its module, and
// nothing else.
func policy() string {
	return "default-src 'none'; script-src '" + hash(module()) + "'; style-src '" + hash(styles) +
		"'; base-uri 'none'; form-action 'none'"
}

// hash is the source expression of CSP for an inline element of some text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	data, err := encode(&p.Data)
	if err != nil {
		return err
	}
	return pageTemplate.Execute(w, &document{
		Policy: template.HTMLAttr(`content="` + policy() + `"`), Styles: template.CSS(styles), Module: template.JS(module()),
		Data: template.HTML(data), text: p.text(),
	})
}

// encode returns the block of data: JSON, packed by gzip, in base64.
func encode(d *content.Data) (string, error) {
	var out bytes.Buffer
	to := base64.NewEncoder(base64.StdEncoding, &out)
	z, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	if err := json.NewEncoder(z).Encode(d); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	err = to.Close()
	return out.String(), err
}
