package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/duckdb"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// whereDuckDB says where its shell comes from.
const whereDuckDB = "https://duckdb.org/docs/installation, or pip install duckdb-cli"

func sqlCommand() *cli.Command {
	return &cli.Command{
		Name:      "sql",
		Usage:     "open datasets in DuckDB, with their views",
		UsageText: "tracelake sql DIR... [-c QUERY]",
		Description: `Starts duckdb, which has to be on the PATH, with a view for each table and those
that answer questions: coverage, hot_functions, uncovered, call_edges, trust ...
They are described in docs/tables.md. Several datasets are read together; the
column dataset of the views has the name of the directory.

Without --command the queries come from the terminal or from standard input.
They read and write no files but those of the datasets, unless --unsafe is
given. The views are those of this program, not of the file views.sql.

Examples:
   tracelake sql run1
   tracelake sql run1 run2 -c "FROM coverage"
   tracelake sql run1 < query.sql`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "command", Aliases: []string{"c"}, Category: string(groupInput), Usage: "run `QUERY` and end"},
			groupInput.bool("unsafe", "let queries read and write any file, and load extensions"),
		},
		Action: acting(readSQL, sql),
	}
}

func sql(ctx *cli.Context, args *sqlArgs) error {
	views, err := viewsFor(args.dirs)
	if err != nil {
		return err
	}
	defer views.close()
	lines, err := duckdb.Setup(args.dirs, views.file, args.unsafe)
	if err != nil {
		return err
	}
	program, err := exec.LookPath("duckdb")
	if err != nil {
		if views.isTemporary {
			return fmt.Errorf("duckdb: is not on the PATH; get it from %s", whereDuckDB)
		}
		fmt.Fprintln(ctx.App.Writer, strings.TrimSpace(strings.Join(append(lines, args.command), "\n")))
		return fmt.Errorf("duckdb: is not on the PATH; get it from %s, or type the lines above in DuckDB elsewhere",
			whereDuckDB)
	}
	return runDuckDB(ctx.Context, program, duckDBArgs(lines, args.command))
}

// sqlArgs is what a command line of sql says.
type sqlArgs struct {
	dirs    []string
	command string
	unsafe  bool
}

// readSQL reads the command line of sql.
func readSQL(ctx *cli.Context) (*sqlArgs, error) {
	dirs := ctx.Args().Slice()
	if len(dirs) == 0 {
		return nil, usage("sql", "needs a DIR, a directory that export wrote", seeHelp(ctx.Command))
	}
	for i, dir := range dirs {
		if slices.ContainsFunc(dirs[:i], func(d string) bool { return sameFile(d, dir) }) {
			return nil, usage(dir, "is given twice", "its rows would count twice; give it once")
		}
	}
	if ctx.IsSet("command") && strings.TrimSpace(ctx.String("command")) == "" {
		return nil, usage("--command", "is without a query", `write it as --command "FROM summary"`)
	}
	for i := range dirs {
		dirs[i] = dataset.Dir(dirs[i])
	}
	return &sqlArgs{dirs, ctx.String("command"), ctx.Bool("unsafe")}, nil
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// views are a script with the views of this program.
type views struct {
	file        string
	isTemporary bool
}

// close removes the script, if it is of no dataset.
func (v *views) close() {
	if v.isTemporary {
		os.Remove(v.file) // in the folder of temporary files, and not worth failing for
	}
}

// scriptOf returns the views of a dataset, for datasets up to a schema version: its own script, if it is as this
// program writes it.
func scriptOf(dir string, version int) (*views, error) {
	d, err := dataset.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	text, name := d.Views(version), filepath.Join(dir, schema.ViewsFile)
	if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() && info.Size() == int64(len(text)) {
		if own, err := os.ReadFile(name); err == nil && string(own) == text {
			return &views{file: name}, nil
		}
	}
	f, err := os.CreateTemp("", "tracelake-*.sql")
	if err != nil {
		return nil, fmt.Errorf("file for views: %w", err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
		return nil, fmt.Errorf("file for views: %w", err)
	}
	return &views{file: f.Name(), isTemporary: true}, nil
}

// viewsFor returns the views that read all datasets: their own dataset has no
// table that another lacks. One that was written earlier may have fewer.
func viewsFor(dirs []string) (*views, error) {
	tables, newest := make([][]string, len(dirs)), 0
	for i, dir := range dirs {
		m, err := parquetManifest(dir)
		if err != nil {
			return nil, err
		}
		tables[i], newest = slices.Sorted(maps.Keys(m.Tables)), max(newest, m.SchemaVersion)
	}
	fewest := 0
	for i := range tables {
		if len(tables[i]) < len(tables[fewest]) {
			fewest = i
		}
	}
	for i := range tables {
		for _, name := range tables[fewest] {
			if !slices.Contains(tables[i], name) {
				return nil, fmt.Errorf("%s and %s cannot be read together: the second has no table %s; export both with the same "+
					"--level and --tables", dirs[fewest], dirs[i], name)
			}
		}
	}
	return scriptOf(dirs[fewest], newest)
}

// parquetManifest returns the manifest of a dataset that DuckDB can read.
func parquetManifest(dir string) (*schema.Manifest, error) {
	d, err := dataset.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if d.Manifest.Format != schema.Parquet.String() {
		return nil, fmt.Errorf("%s: has %s files, which DuckDB does not read by itself; export with --format parquet, or "+
			"read them in Python through pyarrow", dir, d.Manifest.Format)
	}
	return &d.Manifest, nil
}

// duckDBArgs are the arguments of duckdb. Its -init would run before -cmd, and in
// place of the user's ~/.duckdbrc.
func duckDBArgs(lines []string, command string) []string {
	var args []string
	for _, line := range lines {
		args = append(args, "-cmd", line)
	}
	if command != "" {
		args = append(args, "-c", command)
	}
	return args
}

// runDuckDB runs the user's DuckDB, which has the terminal and Ctrl-C for itself. A
// signal to end is passed on.
func runDuckDB(ctx context.Context, program string, args []string) error {
	interrupts := make(chan os.Signal, 1) // nobody reads it: Ctrl-C stops a query, not DuckDB
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	ends := slices.DeleteFunc(endings(), func(s os.Signal) bool { return s == os.Interrupt })
	ctx, stop := signal.NotifyContext(context.WithoutCancel(ctx), ends...)
	defer stop()

	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return context.Canceled
	}
	if err != nil {
		return fmt.Errorf("duckdb: %w", err)
	}
	return nil
}
