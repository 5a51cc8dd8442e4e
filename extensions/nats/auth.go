package nats

import (
	"errors"
	"fmt"

	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// authentication is nil for user, password and token, which are plain options of nats.go.
type authentication func(*natsio.Options) error

// authentication reads the login options. Its errors never show their values.
func (o *options) authentication() (authentication, error) {
	given := 0
	for _, is := range []bool{o.User != "", o.Token != "", o.Credentials != "", o.CredentialsFile != "", o.NKey != "" || o.JWT != ""} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return nil, errors.New("only one of user, token, credentials, credentialsFile and nkey can be given (jwt goes with nkey)")
	case o.User == "" && o.Password != "":
		return nil, errors.New("password needs user")
	case o.Credentials != "":
		return chained([]byte(o.Credentials))
	case o.CredentialsFile != "":
		content, err := o.open(o.CredentialsFile)
		if err != nil {
			return nil, fmt.Errorf("credentialsFile cannot be read: %w", err)
		}

		return chained(content)
	case o.JWT != "" && o.NKey == "":
		return nil, errors.New("jwt needs nkey, the user's seed")
	case o.NKey != "":
		return seeded(o.NKey, o.JWT)
	default:
		return nil, nil //nolint:nilnil // as documented
	}
}

func chained(content []byte) (authentication, error) {
	_, jwtErr := nkeys.ParseDecoratedJWT(content)
	if _, err := nkeys.ParseDecoratedNKey(content); err != nil || jwtErr != nil {
		return nil, errors.New("credentials must be the text of a credentials file: a user's JWT and NKEY seed")
	}

	return func(into *natsio.Options) error { return natsio.UserCredentialBytes(content)(into) }, nil
}

func seeded(seed, jwt string) (authentication, error) {
	pair, err := nkeys.FromSeed([]byte(seed))
	if err != nil {
		return nil, errors.New("nkey must be the seed of a user's key, which begins with SU")
	}
	public, err := pair.PublicKey()
	if err != nil {
		return nil, errors.New("nkey must be the seed of a user's key, which begins with SU")
	}
	if jwt != "" {
		return func(into *natsio.Options) error { return natsio.UserJWTAndSeed(jwt, seed)(into) }, nil
	}

	return func(into *natsio.Options) error { return natsio.Nkey(public, pair.Sign)(into) }, nil
}
