package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/files"
)

// File is the name of the file of records.
const File = "history.jsonl"

// Store keeps the records of a history.
type Store interface {
	// Add adds a record. added is false if the run is there already.
	Add(ctx context.Context, r *Record) (added bool, err error)
	// Read returns the contents of the file; nil if there is no record.
	Read(ctx context.Context) ([]byte, error)
	// String names the place.
	String() string
}

const patience = 30 * time.Second

// Folder keeps records in a file of a folder, which the first record creates.
type Folder string

// String returns the file's path.
func (f Folder) String() string { return filepath.Join(string(f), File) }

// Read returns the contents of the file.
func (f Folder) Read(context.Context) ([]byte, error) {
	raw, err := os.ReadFile(f.String())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}

	return raw, err
}

// Add appends the record under a lock.
func (f Folder) Add(ctx context.Context, r *Record) (added bool, err error) {
	if err := os.MkdirAll(string(f), 0o750); err != nil {
		return false, err
	}
	release, err := claim(ctx, filepath.Join(string(f), "."+File+".adding"))
	if err != nil {
		return false, err
	}
	defer release()
	contents, err := f.Read(ctx)
	if err != nil {
		return false, err
	}
	line, added, err := Append(contents, r)
	if err != nil || !added {
		return false, err
	}
	file, err := os.OpenFile(f.String(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return false, err
	}
	_, err = file.Write(line) // one call, because some systems have no locks
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}

	return err == nil, err
}

func claim(ctx context.Context, path string) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		if release, ok := files.Claim(path); ok {
			return release, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("somebody else adds to it for more than %s", patience)
		case <-time.After(5 * time.Millisecond):
		}
	}
}
