package docs

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

var update = flag.Bool("update", false, "write testdata/api.txt, the promised API; it is looked at before it is committed")

const module = "github.com/tracelake/tracelake/"

// codec is what is promised of the package of a protocol.
var codec = []string{"Config", "Config.Append", "Config.Parse", "Kind", "Kind.String", "NewConfig", "Packet"}

// The packages whose API is promised, in the order of docs/guide/library.md.
var promised = []struct {
	path  string
	names []string // of which it is promised; nil: of all
}{
	{"pipeline", nil},
	{"pipeline/report", nil},
	{"pipeline/report/profile", nil},
	{"pipeline/convert", nil},
	{"schema", nil},
	{"schema/dataset", nil},
	{"decode/capture", nil},
	{"decode/pft", codec},
	{"decode/etmv3", codec},
}

// isPromisedPackage reports whether the API of a package is promised, or some of it.
func isPromisedPackage(p *types.Package) bool {
	for _, x := range promised {
		if module+x.path == p.Path() {
			return true
		}
	}
	return false
}

// The promised API is that of testdata/api.txt, so that each change of it shows where changes are reviewed.
// Columns, and what appends rows, are left out: they are generated, and docs/tables.md has them.
func TestPromisedAPI(t *testing.T) {
	var patterns []string
	for _, p := range promised {
		patterns = append(patterns, module+p.path)
	}
	mode := packages.NeedName | packages.NeedTypes | packages.NeedImports
	loaded, err := packages.Load(&packages.Config{Mode: mode}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	a := &api{seen: map[types.Type]bool{}}
	a.text.WriteString("What docs/guide/library.md promises; go test ./docs -run TestPromisedAPI -update writes it.\n")
	for _, p := range promised {
		i := slices.IndexFunc(loaded, func(l *packages.Package) bool { return l.PkgPath == module+p.path })
		if i < 0 || len(loaded[i].Errors) > 0 {
			t.Fatalf("%s does not load", p.path)
		}
		a.writePackage(loaded[i], p.names)
	}
	a.writeOthers()
	golden := filepath.Join("testdata", "api.txt")
	if *update {
		if err := os.WriteFile(golden, a.text.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, a.text.Bytes()) {
		t.Errorf("the promised API is not that of %s, which -update writes:\n%s%s", golden,
			missing("gone", want, a.text.Bytes()), missing("new", a.text.Bytes(), want))
	}
}

// missing returns the lines of a text that another does not have, after a word.
func missing(word string, text, other []byte) string {
	var b strings.Builder
	has := strings.Split(string(other), "\n")
	for line := range strings.SplitSeq(string(text), "\n") {
		if !slices.Contains(has, line) {
			fmt.Fprintf(&b, "%s: %s\n", word, line)
		}
	}
	return b.String()
}

// An api is the text of what packages export.
type api struct {
	text   bytes.Buffer
	pkg    *types.Package // the one that is written
	seen   map[types.Type]bool
	others []*types.TypeName // of packages that are not promised
}

// qualify names a package, if it is not the one that is written.
func (a *api) qualify(p *types.Package) string {
	if p == a.pkg {
		return ""
	}
	return p.Name()
}

// writePackage writes what a package exports, or what of it is named.
func (a *api) writePackage(p *packages.Package, names []string) {
	a.pkg = p.Types
	fmt.Fprintf(&a.text, "\npackage %s\n", strings.TrimPrefix(p.PkgPath, module))
	wanted := func(name string) bool { return names == nil || slices.Contains(names, name) }
	values := map[string][]types.Object{}
	var rest []types.Object
	scope := p.Types.Scope()
	for _, name := range scope.Names() {
		switch o := scope.Lookup(name); {
		case !o.Exported() || path.Base(filepath.ToSlash(p.Fset.Position(o.Pos()).Filename)) == "columns_gen.go":
		case isValue(o):
			kind := types.TypeString(o.Type(), a.qualify)
			if wanted(name) || wanted(kind) {
				values[kind] = append(values[kind], o)
			}
		case wanted(name):
			rest = append(rest, o)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(values)) {
		a.writeValues(kind, values[kind])
	}
	for _, o := range rest {
		a.writeObject(o, wanted)
	}
}

// isValue reports whether an object is a constant or a variable.
func isValue(o types.Object) bool {
	switch o.(type) {
	case *types.Const, *types.Var:
		return true
	}
	return false
}

// writeValues writes constants and variables of a type: variables by name, constants by value, which is
// left out where it is one more than that before.
func (a *api) writeValues(kind string, values []types.Object) {
	slices.SortStableFunc(values, func(x, y types.Object) int {
		c, ok := x.(*types.Const)
		d, both := y.(*types.Const)
		if ok && both && constant.Compare(c.Val(), token.LSS, d.Val()) {
			return -1
		}
		if ok && both && constant.Compare(d.Val(), token.LSS, c.Val()) {
			return 1
		}
		return 0
	})
	var words []string
	next := constant.MakeInt64(0)
	for _, o := range values {
		word := o.Name()
		if c, ok := o.(*types.Const); ok {
			isNumber := c.Val().Kind() == constant.Int
			if !isNumber || constant.Compare(c.Val(), token.NEQ, next) {
				word += "=" + c.Val().String()
			}
			if isNumber {
				next = constant.BinaryOp(c.Val(), token.ADD, constant.MakeInt64(1))
			}
		}
		words = append(words, word)
	}
	a.writeWrapped(kind+":", words)
}

// writeWrapped writes words after a head, in lines of 120 columns.
func (a *api) writeWrapped(line string, words []string) {
	for _, word := range words {
		if len(line)+1+len(word) > 120 {
			fmt.Fprintln(&a.text, line)
			line = "   "
		}
		line += " " + word
	}
	fmt.Fprintln(&a.text, line)
}

// writeObject writes a function, or a type with the methods that are wanted.
func (a *api) writeObject(o types.Object, wanted func(string) bool) {
	a.reach(o.Type())
	name, ok := o.(*types.TypeName)
	if !ok {
		fmt.Fprintln(&a.text, types.ObjectString(o, a.qualify))
		return
	}
	a.writeType(name)
	named, ok := o.Type().(*types.Named)
	if !ok {
		return
	}
	for m := range types.NewMethodSet(types.NewPointer(named)).Methods() {
		f := m.Obj()
		if f.Exported() && isOwn(m) && (wanted("") || wanted(name.Name()+"."+f.Name())) {
			a.reach(f.Type())
			text := types.ObjectString(f, a.qualify)
			fmt.Fprintln(&a.text, "   ", text[strings.Index(text, ").")+2:])
		}
	}
}

// isOwn reports whether a method is listed with a type: its own, and one of a field that has no name of
// its own and is not exported.
func isOwn(m *types.Selection) bool {
	if len(m.Index()) == 1 {
		return true
	}
	of := m.Recv().(*types.Pointer).Elem().Underlying().(*types.Struct)
	return !of.Field(m.Index()[0]).Exported()
}

// writeType writes a type with its fields.
func (a *api) writeType(o *types.TypeName) {
	text := types.ObjectString(o, a.qualify)
	s, ok := o.Type().Underlying().(*types.Struct)
	if !ok || o.IsAlias() {
		fmt.Fprintln(&a.text, text)
		return
	}
	head, _, _ := strings.Cut(text, "{")
	var fields []string
	for f := range s.Fields() {
		kind := types.TypeString(f.Type(), a.qualify)
		switch {
		case !f.Exported():
		case f.Embedded():
			fields = append(fields, kind+";")
		default:
			fields = append(fields, f.Name()+" "+kind+";")
		}
	}
	a.writeWrapped(head, fields)
}

// writeOthers writes the types of other packages of the module that the promised ones name.
func (a *api) writeOthers() {
	a.pkg = nil
	fmt.Fprintln(&a.text, "\ntypes of other packages, of which the fields are promised")
	slices.SortFunc(a.others, func(x, y *types.TypeName) int {
		return cmp.Or(cmp.Compare(x.Pkg().Path(), y.Pkg().Path()), cmp.Compare(x.Name(), y.Name()))
	})
	for _, o := range a.others {
		a.writeType(o)
	}
}

// reach finds the types that a type names, by fields and parameters.
func (a *api) reach(t types.Type) {
	if a.seen[t] {
		return
	}
	a.seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		a.reach(types.Unalias(t))
	case *types.Named:
		a.reachNamed(t)
	case *types.Map:
		a.reach(t.Key())
		a.reach(t.Elem())
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		a.reach(t.Elem())
	case *types.Signature:
		a.reach(t.Params())
		a.reach(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			a.reach(v.Type())
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				a.reach(f.Type())
			}
		}
	}
}

// reachNamed is reach of a type that has a name. What a protocol is made of is not reached.
func (a *api) reachNamed(t *types.Named) {
	for arg := range t.TypeArgs().Types() {
		a.reach(arg)
	}
	o := t.Obj()
	if o.Pkg() == nil || !strings.HasPrefix(o.Pkg().Path(), module) ||
		o.Pkg().Path()+"."+o.Name() == module+"decode.Family" {
		return
	}
	if !isPromisedPackage(o.Pkg()) {
		a.others = append(a.others, o)
	}
	a.reach(t.Underlying())
}
