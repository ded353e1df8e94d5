//go:build unix

package browsertest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const answerID = "answer-of-the-test"

// Ask opens a copy of a page to which a script is added, and returns what it returns: script
// is the body of an async function that runs when the page is ready, and its answer is what T
// is read of as JSON. The libraries are scripts that it needs. The policy of the copy has
// their hashes.
func Ask[T any](t testing.TB, page []byte, v View, script string, libraries ...string) (T, *Visit) {
	t.Helper()
	page = Copy(t, page, script, libraries...)
	if v.Clock {
		page = held(t, page)
	}
	visit := Open(t, page, v)
	visit.Ready(t)
	var answer struct {
		Error string
		Value T
	}
	text, found := visit.answer()
	if !found {
		t.Fatalf("%s: no answer; the console says:\n%s", v, strings.Join(visit.Console, "\n"))
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%s: %v in %.300s", v, err, text)
	}
	if answer.Error != "" {
		t.Fatalf("%s: the script of the test: %s", v, answer.Error)
	}
	return answer.Value, visit
}

// probe is what runs a test's script. Frames of the screen come in real time, and would not come while
// virtual time passes: timers stand for them. JSON is ASCII there where the DOM could hold text that the
// browser does not print, such as half a surrogate pair.
const probe = `
globalThis.requestAnimationFrame = draw => setTimeout(() => draw(performance.now()), 16);
const root = document.documentElement;
if (!root.dataset.ready) await new Promise(done => {
  const watch = new MutationObserver(() => { if (root.dataset.ready) { watch.disconnect(); done(); } });
  watch.observe(root, {attributes: true});
});
const said = {};
try { said.Value = await (async () => {%s
})(); } catch (e) { said.Error = e + "\n" + e.stack; }
const text = JSON.stringify(said).replace(/[^ -~]/g, c => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
const pre = document.createElement("pre");
pre.id = "%s";
pre.hidden = true;
pre.textContent = text;
document.body.append(pre);
document.getElementById("held")?.removeAttribute("src");
`

// held returns the page with an image that never comes. Where time is not virtual, the browser ends with the
// page's load event, which waits for it until the script of the test gives it up.
func held(t testing.TB, page []byte) []byte {
	t.Helper()
	never := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(never.Close)
	page = Insert(t, page, "default-src 'none'; ", "img-src "+never.URL+"; ")
	return Insert(t, page, "</main>", `<img id="held" alt="" src="`+never.URL+`/">`)
}

// Copy is the page with libraries and a script, and their hashes in its policy.
func Copy(t testing.TB, page []byte, script string, libraries ...string) []byte {
	t.Helper()
	var added bytes.Buffer
	var hashes strings.Builder
	add := func(tag, script string) {
		fmt.Fprintf(&hashes, "'sha256-%s' ", hash(script))
		fmt.Fprintf(&added, "%s%s</script>\n", tag, script)
	}
	for _, library := range libraries {
		add("<script>", library)
	}
	add(moduleTag, fmt.Sprintf(probe, script, answerID))
	return Insert(t, Insert(t, page, "script-src ", hashes.String()), "</main>", added.String())
}

// Insert inserts text after the first place where the page has what is before it.
func Insert(t testing.TB, page []byte, after, text string) []byte {
	t.Helper()
	i := bytes.Index(page, []byte(after))
	if i < 0 {
		t.Fatalf("the page has no %q", after)
	}
	i += len(after)
	return bytes.Join([][]byte{page[:i], []byte(text), page[i:]}, nil)
}

// hash returns the hash of a script, as policies have it.
func hash(script string) string {
	sum := sha256.Sum256([]byte(script))
	return base64.StdEncoding.EncodeToString(sum[:])
}

const moduleTag = `<script type="module">`

// ChangeModule returns the page with its module changed, and the hash of that in its policy.
func ChangeModule(t testing.TB, page []byte, change func(module string) string) []byte {
	t.Helper()
	before, rest, found := strings.Cut(string(page), moduleTag)
	module, after, closed := strings.Cut(rest, "</script>")
	if !found || !closed || !strings.Contains(before, hash(module)) {
		t.Fatal("the page has no module whose hash is in its policy")
	}
	changed := change(module)
	if changed == module {
		t.Fatal("the module is as it was")
	}
	return []byte(strings.Replace(before, hash(module), hash(changed), 1) + moduleTag + changed + "</script>" + after)
}
