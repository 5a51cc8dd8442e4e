package wire

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
)

type serverInfo struct {
	Headers      bool   `json:"headers"`
	JetStream    bool   `json:"jetstream"`
	MaxPayload   int64  `json:"max_payload"`
	Nonce        string `json:"nonce"`
	TLSRequired  bool   `json:"tls_required"`
	TLSAvailable bool   `json:"tls_available"`
}

type connectInfo struct {
	Verbose      bool   `json:"verbose"`
	Pedantic     bool   `json:"pedantic"`
	JWT          string `json:"jwt,omitempty"`
	NKey         string `json:"nkey,omitempty"`
	Signature    string `json:"sig,omitempty"`
	User         string `json:"user,omitempty"`
	Password     string `json:"pass,omitempty"`
	Token        string `json:"auth_token,omitempty"`
	TLS          bool   `json:"tls_required"`
	Name         string `json:"name"`
	Language     string `json:"lang"`
	Version      string `json:"version"`
	Protocol     int    `json:"protocol"`
	Echo         bool   `json:"echo"`
	Headers      bool   `json:"headers"`
	NoResponders bool   `json:"no_responders"`
}

func (c *Conn) logIn(ctx context.Context, cfg *Config) error {
	plain, err := c.Stream(ctx, nil)
	if err != nil {
		return err
	}
	c.out, c.in.from = plain, plain
	if err := c.begin(cfg.ConnectTimeout); err != nil {
		return err
	}
	if cfg.First {
		if err := c.secure(ctx, cfg); err != nil {
			return err
		}
	}
	info, failed := c.welcome()
	if failed != nil {
		return failed
	}
	switch {
	case cfg.First:
	case info.TLSRequired, cfg.Secure && info.TLSAvailable:
		if err := c.secure(ctx, cfg); err != nil {
			return err
		}
	case cfg.Secure:
		return errors.New("the server has no TLS")
	}
	said, err := cfg.introduction(info)
	if err != nil {
		return err
	}
	if err := c.write(said); err != nil {
		return c.closeReason(err)
	}
	if err := c.pong(); err != nil {
		return err
	}

	return nil // a nil *Error would be a non-nil error
}

func (c *Conn) closeReason(err *Error) *Error {
	if c.in.next(&c.said) == nil && c.said.kind == sayErr {
		said, _ := complaint(c.said.rest)

		return said
	}

	return err
}

func (c *Conn) welcome() (*serverInfo, *Error) {
	if err := c.next(); err != nil {
		return nil, err
	}
	if c.said.kind == sayErr {
		e, _ := complaint(c.said.rest)

		return nil, e
	}
	if c.said.kind != sayInfo {
		return nil, Errorf(KindProtocol, "the server does not begin with INFO")
	}

	return c.learn()
}

func (c *Conn) learn() (*serverInfo, *Error) {
	var info serverInfo
	if err := json.Unmarshal(c.said.rest, &info); err != nil {
		return nil, c.fail(Errorf(KindProtocol, "the server's INFO cannot be read: %s", err))
	}
	c.maxPayload, c.headers, c.in.most = info.MaxPayload, info.Headers, mostOf(info.MaxPayload)
	c.noJetStream = !info.JetStream

	return &info, nil
}

// secure starts TLS. It drops bytes that came before, because anyone could have sent them.
func (c *Conn) secure(ctx context.Context, cfg *Config) error {
	secrets := cfg.TLS
	if secrets.ServerName == "" {
		secrets = secrets.Clone()
		secrets.ServerName, _, _ = net.SplitHostPort(cfg.Address)
	}
	secured, err := c.Stream(ctx, secrets)
	if err != nil {
		return fmt.Errorf("TLS: %w", err)
	}
	c.out = secured
	c.in = reader{from: secured, most: c.in.most}

	return nil
}

// The answer to the PING confirms the login.
func (c *Config) introduction(info *serverInfo) ([]byte, error) {
	me := connectInfo{
		User: c.User, Password: c.Password, Token: c.Token, NKey: c.NKey, TLS: c.Secure, Name: c.Name, Language: "xk6-sweep", Protocol: 1,
		Echo: !c.NoEcho, Headers: info.Headers, NoResponders: info.Headers,
	}
	var err error
	if c.JWT != nil {
		if me.JWT, err = c.JWT(); err != nil {
			return nil, err
		}
	}
	if c.Sign != nil {
		signature, err := c.Sign([]byte(info.Nonce))
		if err != nil {
			return nil, fmt.Errorf("the server's nonce cannot be signed: %w", err)
		}
		me.Signature = base64.RawURLEncoding.EncodeToString(signature)
	}
	said, err := json.Marshal(me) //nolint:gosec // the server reads it
	if err != nil {
		return nil, err
	}

	return fmt.Appendf(nil, "CONNECT %s\r\nPING\r\n", said), nil
}
