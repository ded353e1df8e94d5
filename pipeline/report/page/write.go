package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the template and the style sheet
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"
	"slices"

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
	if err := json.NewEncoder(z).Encode(withoutNames(d)); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	err = to.Close()
	return out.String(), err
}

// withoutNames returns d with frames that have no name where it is that of their function: names are most of what frames
// take. Module model gives them back.
func withoutNames(d *content.Data) *content.Data {
	x := *d
	frames := func(f content.Frames) content.Frames {
		f.Name = slices.Clone(f.Name)
		for i, n := range f.Function {
			if n != content.None && f.Name[i] == d.Functions.Name[n] {
				f.Name[i] = ""
			}
		}
		return f
	}
	if d.Flame != nil {
		flame := *d.Flame
		flame.Frames = frames(flame.Frames)
		x.Flame = &flame
	}
	x.Times = slices.Clone(d.Times)
	for i := range x.Times {
		x.Times[i].Frames = frames(x.Times[i].Frames)
	}
	return &x
}
