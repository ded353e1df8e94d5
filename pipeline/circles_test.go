package pipeline

import (
	"fmt"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/tracelake/tracelake/bench/need"
)

// mostInCircles is how many arrows may be in circles, of all packages but those of moreInCircles.
const mostInCircles = 5

// moreInCircles has packages in which more may be.
var moreInCircles = map[string]int{
	"tally": 24, "report/timeline": 14, "report/profile": 4,
}

// Files of a package that use each other in a circle can only be read together. An arrow is from
// a file to another of its package that declares what it uses; TestCircles lists those in circles.
func TestCircles(t *testing.T) {
	need.FullRun(t, readOnly)
	const root = "github.com/tracelake/tracelake/pipeline/"
	mode := packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports
	loaded, err := packages.Load(&packages.Config{Mode: mode}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	rest := 0
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			t.Fatal(p.Errors[0])
		}
		name := strings.TrimPrefix(p.PkgPath, root)
		if strings.HasSuffix(name, "test") {
			continue
		}
		found := inCircles(arrows(p))
		most, ok := moreInCircles[name]
		if !ok {
			rest += len(found)
		} else if len(found) > most {
			t.Errorf("%s: %d arrows between files are in circles, at most %d may be", name, len(found), most)
		}
		for _, arrow := range found {
			if testing.Verbose() || len(found) > most {
				t.Log(name, arrow)
			}
		}
	}
	if rest > mostInCircles {
		t.Errorf("%d arrows between files are in circles, at most %d may be", rest, mostInCircles)
	}
	if len(loaded) < 20 {
		t.Errorf("only %d packages", len(loaded))
	}
}

// arrows returns which files of a package each of them uses.
func arrows(p *packages.Package) map[string]map[string]bool {
	file := func(o types.Object) string {
		position := p.Fset.Position(o.Pos())
		return filepath.Base(position.Filename)
	}
	uses := map[string]map[string]bool{}
	for name, o := range p.TypesInfo.Uses {
		if o.Pkg() != p.Types {
			continue
		}
		from := filepath.Base(p.Fset.Position(name.Pos()).Filename)
		if to := file(o); to != from {
			if uses[from] == nil {
				uses[from] = map[string]bool{}
			}
			uses[from][to] = true
		}
	}
	return uses
}

// inCircles returns the arrows that are in a circle: from whose end their beginning is reached.
func inCircles(uses map[string]map[string]bool) (found []string) {
	for from, tos := range uses {
		for to := range tos {
			if reaches(uses, to, from, map[string]bool{}) {
				found = append(found, fmt.Sprintf("%s uses %s", from, to))
			}
		}
	}
	slices.Sort(found)
	return found
}

// reaches reports whether arrows lead from a file to another.
func reaches(uses map[string]map[string]bool, from, to string, seen map[string]bool) bool {
	if from == to {
		return true
	}
	seen[from] = true
	for next := range uses[from] {
		if !seen[next] && reaches(uses, next, to, seen) {
			return true
		}
	}
	return false
}
