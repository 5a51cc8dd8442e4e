package command

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.k6.io/k6/v2/cmd/state"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"

	"github.com/xk6-sweep/xk6-sweep/examples"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/nearest"
)

func newNew(gs *state.GlobalState) *cobra.Command {
	kinds := slices.Sorted(maps.Keys(examples.Kinds))

	return &cobra.Command{
		Use:   "new KIND [FILE]",
		Short: "Write a script that sweeps a server of yours, to begin with",
		Long: `Write a short script that runs as it is, and says in its comments what is what: for ` + strings.Join(kinds, ", ") + `.
It goes to KIND.js in this folder, or to FILE; - is standard output. A file that is there already is not overwritten.

Exit codes: 0 when it is written, 104 for another kind or a file that is there already, 1 when it cannot be written.`,
		Example: `  k6 x sweep new redis
  k6 run redis.js -e REDIS_URL=redis://127.0.0.1:6379 -e CLIENTS=1,8,32`,
		Args:      needs(1, 2, "the kind of server: "+strings.Join(kinds, ", ")),
		ValidArgs: kinds,
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
	setting, known := examples.Kinds[kind]
	if !known {
		kinds := slices.Sorted(maps.Keys(examples.Kinds))
		hint := ""
		for _, k := range kinds {
			if _, near := nearest.Of(kind, []string{k}); near || strings.HasPrefix(kind, k) || strings.HasPrefix(k, kind) {
				hint = "; did you mean " + k + "?"
			}
		}

		return errext.WithExitCodeIfNone(fmt.Errorf("there is no script for %q: it must be one of %s%s",
			kind, strings.Join(kinds, ", "), hint), exitcodes.InvalidConfig)
	}
	raw, err := examples.Script(kind, file)
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

	return write(gs, "", fmt.Appendf(nil, "%s is written; it says what is what. Run it with\n\n    k6 run %s -e %s=...\n",
		file, file, setting))
}
