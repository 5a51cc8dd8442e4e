package command

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.k6.io/k6/v2/cmd/state"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"

	"github.com/xk6-sweep/xk6-sweep/examples"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
)

func newNew(gs *state.GlobalState) *cobra.Command {
	kinds := strings.Join(examples.Kinds, ", ")

	return &cobra.Command{
		Use:   "new KIND [FILE]",
		Short: "Write a first script for a server of your own",
		Long: `Write a short script that measures a server: ` + kinds + `. It runs without changes, and its comments explain it.
It goes to KIND.js in this folder, or to FILE; - is standard output. An existing file is not overwritten.

Exit codes: 0 when the script is written, 104 for an unknown kind or an existing file, 1 when the file cannot be written.`,
		Example: `  k6 x sweep new redis
  k6 run redis.js -e REDIS_URL=redis://127.0.0.1:6379 -e CLIENTS=1,8,32`,
		Args:      needs(1, 2, "the kind of server: "+kinds),
		ValidArgs: examples.Kinds,
		RunE: func(_ *cobra.Command, args []string) error {
			file := args[0] + ".js"
			if len(args) > 1 {
				file = args[1]
			}

			return writeNew(gs, args[0], file)
		},
	}
}

func writeNew(gs *state.GlobalState, kind, file string) error {
	if !slices.Contains(examples.Kinds, kind) {
		hint := ""
		for _, k := range examples.Kinds {
			if input.Nearest(kind, []string{k}) != "" || strings.HasPrefix(kind, k) || strings.HasPrefix(k, kind) {
				hint = "; did you mean " + k + "?"
			}
		}

		return errext.WithExitCodeIfNone(fmt.Errorf("there is no script for %q: it must be one of %s%s",
			kind, strings.Join(examples.Kinds, ", "), hint), exitcodes.InvalidConfig)
	}
	raw, command, err := examples.Script(kind, file)
	if err != nil {
		return err
	}
	if file == "-" {
		return write(gs, "", raw)
	}
	if _, err := gs.FS.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return unusable(file, errors.New("it is there already: name another file"))
	}
	if err := write(gs, file, raw); err != nil {
		return err
	}

	return write(gs, "", fmt.Appendf(nil, "%s is written; its comments explain it. Run it with\n\n    %s\n", file, command))
}
