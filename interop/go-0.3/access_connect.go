package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"google.golang.org/grpc"
	transport "google.golang.org/grpc/credentials"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2aclient"

	"interop/access"
)

// session is the one whose credentials the SDK's interceptor is to take from its store.
func session(ctx context.Context) context.Context {
	return a2aclient.WithSessionID(ctx, "caller")
}

// connect makes a client over TLS with what that caller holds.
func (d accessDoor) connect(ctx context.Context, card *a2a.AgentCard, who access.Held) (agent, error) {
	connection := a2aclient.WithJSONRPCTransport(d.callers.HTTP(who))
	if d.binding == a2a.TransportProtocolGRPC {
		connection = a2aclient.WithGRPCTransport(grpc.WithTransportCredentials(transport.NewTLS(d.callers.TLS(who))))
	}
	client, err := a2aclient.NewFromCard(ctx, card, a2aclient.WithDefaultsDisabled(), connection,
		a2aclient.WithInterceptors(interceptorFor(who)))
	return agent{client, d.binding, card}, err
}

// interceptorFor is the SDK's own, which knows API keys in headers and bearer tokens of the HTTP schemes.
func interceptorFor(who access.Held) a2aclient.CallInterceptor {
	switch {
	case who.Basic != "":
		// The SDK would send "Bearer" whatever the scheme.
		return &headerInterceptor{scheme: "basic", value: "Basic " + base64.StdEncoding.EncodeToString([]byte(who.Basic))}
	case who.OIDC != "":
		// The SDK passes over schemes of OpenID Connect.
		return &headerInterceptor{scheme: "oidc", value: "Bearer " + who.OIDC}
	}
	store := a2aclient.NewInMemoryCredentialsStore()
	for scheme, credential := range map[a2a.SecuritySchemeName]string{"apiKey": who.APIKey, "jwt": who.JWT, "introspection": who.Introspection} {
		if credential != "" {
			store.Set("caller", scheme, a2aclient.AuthCredential(credential))
		}
	}
	return &a2aclient.AuthInterceptor{Service: store}
}

// headerInterceptor adds an Authorization header for a scheme that the card must name.
type headerInterceptor struct {
	a2aclient.PassthroughInterceptor
	scheme a2a.SecuritySchemeName
	value  string
}

func (h *headerInterceptor) Before(ctx context.Context, request *a2aclient.Request) (context.Context, error) {
	switch scheme := request.Card.SecuritySchemes[h.scheme].(type) {
	case a2a.HTTPAuthSecurityScheme:
		if scheme.Scheme != "Basic" {
			return ctx, fmt.Errorf("scheme %q", scheme.Scheme)
		}
	case a2a.OpenIDConnectSecurityScheme:
		if scheme.OpenIDConnectURL == "" {
			return ctx, errors.New("no address of the provider")
		}
	default:
		return ctx, fmt.Errorf("%s is %T", h.scheme, scheme)
	}
	request.Meta["Authorization"] = []string{h.value}
	return ctx, nil
}
