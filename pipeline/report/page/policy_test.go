//go:build unix

package page_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline/report/page/browsertest"
)

// The policy of the page stops what somebody puts into it: a script, a handler, an image from
// elsewhere. What the page itself does it allows, without a word on the console.
func TestPolicy(t *testing.T) {
	text := pageOf(t, "sample")
	policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-[A-Za-z0-9+/]{43}='; style-src 'sha256-[A-Za-z0-9+/]{43}='; base-uri 'none'; form-action 'none'">`)
	if n := len(policy.FindAll(text, -1)); n != 1 {
		t.Errorf("%d policies in the page, want 1", n)
	}
	v := browsertest.View{Width: 1200, Height: 900}
	plain := browsertest.Open(t, text, v)
	plain.Ready(t)
	if len(plain.Console) > 0 {
		t.Errorf("the console: %q", plain.Console)
	}
	if n := strings.Count(plain.DOM, "<script"); n != 2 {
		t.Errorf("%d script elements, want 2", n)
	}

	inserted := browsertest.Open(t, browsertest.Insert(t, text, "<main>", `
<script>document.title = "a script ran"</script>
<p onclick="document.title = 'a handler ran'" id="clicked" style="color: red">text</p>
<img src="https://example.com/a.png" alt="" onerror="document.title = 'a handler ran'">
`), v)
	inserted.Ready(t)
	said := strings.Join(inserted.Console, "\n")
	for _, want := range []string{
		"Executing inline script violates", "Executing inline event handler violates",
		"Loading the image 'https://example.com/a.png' violates", "Applying inline style violates",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the console does not say that %s: %s", want, said)
		}
	}
	if title := regexp.MustCompile(`<title>.*ran</title>`).FindString(inserted.DOM); title != "" {
		t.Error(title)
	}
}
