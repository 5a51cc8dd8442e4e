package emulator

import (
	"bufio"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// Scopes of an API key.
const (
	ScopeSession   = "session:open"     // OpenSession and CloseSession
	ScopeSubscribe = "invoke:subscribe" // every command except ReadBulk
	ScopeRead      = "invoke:read"      // ReadBulk
	ScopeEvents    = "events:read"      // StreamEvents
)

// Scopes returns all scopes.
func Scopes() []string { return []string{ScopeSession, ScopeSubscribe, ScopeRead, ScopeEvents} }

// Keys are the valid keys by their id. They contain only hashes of the secrets.
type Keys map[string]key

type key struct {
	secret [sha256.Size]byte
	scopes []string
}

// ReadKeys reads one key per line: mxgw_<keyId>_<secret>, a space, and its scopes, separated by
// commas. It skips empty lines and lines that begin with #. Errors name the line, never the secret.
func ReadKeys(file io.Reader) (Keys, error) {
	keys := Keys{}
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		text, scopes, _ := strings.Cut(line, " ")
		id, secret, ok := cutKey(text)
		if !ok {
			return nil, fmt.Errorf("line %d: it must be mxgw_<keyId>_<secret>, a space, and scopes with commas between them", number)
		}
		granted := strings.Split(strings.TrimSpace(scopes), ",")
		for _, scope := range granted {
			if !slices.Contains(Scopes(), scope) {
				return nil, fmt.Errorf("line %d: there is no scope %q: they are %s", number, scope, strings.Join(Scopes(), ", "))
			}
		}
		if _, twice := keys[id]; twice {
			return nil, fmt.Errorf("line %d: the key %.100q is there twice", number, id)
		}
		keys[id] = key{secret: sha256.Sum256([]byte(secret)), scopes: granted}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("there is no key in it")
	}
	return keys, nil
}

func cutKey(text string) (id, secret string, ok bool) {
	rest, ok := strings.CutPrefix(text, "mxgw_")
	if !ok {
		return "", "", false
	}
	id, secret, ok = strings.Cut(rest, "_")
	return id, secret, ok && id != "" && secret != ""
}

func (k Keys) check(ctx context.Context, scope string) error {
	values := metadata.ValueFromIncomingContext(ctx, "authorization")
	if len(values) != 1 {
		return status.Error(codes.Unauthenticated, "there must be one key: authorization: Bearer mxgw_<keyId>_<secret>")
	}
	text, bearer := strings.CutPrefix(values[0], "Bearer ")
	id, secret, ok := cutKey(text)
	if !bearer || !ok {
		return status.Error(codes.Unauthenticated, "the key must be: Bearer mxgw_<keyId>_<secret>")
	}
	hash := sha256.Sum256([]byte(secret))
	granted, known := k[id]
	if subtle.ConstantTimeCompare(hash[:], granted.secret[:]) != 1 || !known {
		return status.Error(codes.Unauthenticated, "the key is not known here")
	}
	if !slices.Contains(granted.scopes, scope) {
		return status.Errorf(codes.PermissionDenied, "the key lacks the scope %s", scope)
	}
	return nil
}
