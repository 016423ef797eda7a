package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/a2aproject/a2a-go/v2/a2aclient"
)

// ways are the names that the card gives to the ways of letting callers in.
var ways = []string{"mtls", "apiKey", "basic", "jwt", "oidc", "introspection"}

// held is what a caller holds, by those names.
type held struct {
	MTLS          *certificate `json:"mtls"`
	APIKey        string       `json:"apiKey"`
	Basic         string       `json:"basic"`
	JWT           string       `json:"jwt"`
	OIDC          string       `json:"oidc"`
	Introspection string       `json:"introspection"`
}

// certificate names the files of a certificate and its key.
type certificate struct {
	Cert string `json:"cert"`
	Key  string `json:"key"`
}

// callers are those that the issuer has made something for.
type callers struct {
	CA      string `json:"ca"`
	Alice   held   `json:"alice"`
	Bob     held   `json:"bob"`
	Wrong   held   `json:"wrong"`
	Expired held   `json:"expired"`
}

func callersIn(folder string) (*callers, error) {
	text, err := os.ReadFile(filepath.Join(folder, "callers.json"))
	if err != nil {
		return nil, err
	}
	var all callers
	return &all, json.Unmarshal(text, &all)
}

// only is what is held for that way, and nothing else.
func (h held) only(way string) held {
	switch way {
	case "mtls":
		return held{MTLS: h.MTLS}
	case "apiKey":
		return held{APIKey: h.APIKey}
	case "basic":
		return held{Basic: h.Basic}
	case "jwt":
		return held{JWT: h.JWT}
	case "oidc":
		return held{OIDC: h.OIDC}
	case "introspection":
		return held{Introspection: h.Introspection}
	}
	panic("no such way: " + way)
}

// session is the one whose credentials the SDK's interceptor is to take from its store.
func (h held) session(ctx context.Context) context.Context {
	return a2aclient.AttachSessionID(ctx, "caller")
}

// tls trusts the one authority, and shows the certificate where there is one.
func (c *callers) tls(who held) *tls.Config {
	roots := x509.NewCertPool()
	text, err := os.ReadFile(c.CA)
	if err != nil || !roots.AppendCertsFromPEM(text) {
		panic(fmt.Errorf("no authority in %s: %w", c.CA, err))
	}
	config := &tls.Config{RootCAs: roots}
	if who.MTLS != nil {
		pair, err := tls.LoadX509KeyPair(who.MTLS.Cert, who.MTLS.Key)
		if err != nil {
			panic(err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config
}

func (c *callers) http(who held) *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: c.tls(who)}}
}
