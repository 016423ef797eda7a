// Package access reads what the issuer has made for callers, and makes connections with it.
package access

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
)

// Ways are the names that the card gives to the ways of letting callers in.
var Ways = []string{"mtls", "apiKey", "basic", "jwt", "oidc", "introspection"}

// Held is what a caller holds, by those names.
type Held struct {
	MTLS          *Certificate `json:"mtls"`
	APIKey        string       `json:"apiKey"`
	Basic         string       `json:"basic"`
	JWT           string       `json:"jwt"`
	OIDC          string       `json:"oidc"`
	Introspection string       `json:"introspection"`
}

// Certificate names the files of a certificate and its key.
type Certificate struct {
	Cert string `json:"cert"`
	Key  string `json:"key"`
}

// Callers are those that the issuer has made something for.
type Callers struct {
	CA      string `json:"ca"`
	Alice   Held   `json:"alice"`
	Bob     Held   `json:"bob"`
	Wrong   Held   `json:"wrong"`
	Expired Held   `json:"expired"`
}

// CallersIn reads them from the folder that the issuer has written to.
func CallersIn(folder string) (*Callers, error) {
	text, err := os.ReadFile(filepath.Join(folder, "callers.json"))
	if err != nil {
		return nil, err
	}
	var all Callers
	return &all, json.Unmarshal(text, &all)
}

// Only is what is held for that way, and nothing else.
func (h Held) Only(way string) Held {
	switch way {
	case "mtls":
		return Held{MTLS: h.MTLS}
	case "apiKey":
		return Held{APIKey: h.APIKey}
	case "basic":
		return Held{Basic: h.Basic}
	case "jwt":
		return Held{JWT: h.JWT}
	case "oidc":
		return Held{OIDC: h.OIDC}
	case "introspection":
		return Held{Introspection: h.Introspection}
	}
	panic("no such way: " + way)
}

// TLS trusts the one authority, and shows the certificate where there is one.
func (c *Callers) TLS(who Held) *tls.Config {
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

// HTTP is a client over TLS.
func (c *Callers) HTTP(who Held) *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: c.TLS(who)}}
}
