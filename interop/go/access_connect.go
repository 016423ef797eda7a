package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"google.golang.org/grpc"
	transport "google.golang.org/grpc/credentials"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	a2agrpcv0 "github.com/a2aproject/a2a-go/v2/a2agrpc/v0"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"

	"interop/access"
)

func bindingsOf(version a2a.ProtocolVersion) []a2a.TransportProtocol {
	if version == a2av0.Version {
		// What this SDK speaks as 0.3 on HTTP+JSON has neither the paths nor the bodies of 0.3.
		return []a2a.TransportProtocol{a2a.TransportProtocolJSONRPC, a2a.TransportProtocolGRPC}
	}
	return []a2a.TransportProtocol{a2a.TransportProtocolJSONRPC, a2a.TransportProtocolHTTPJSON, a2a.TransportProtocolGRPC}
}

// session is the one whose credentials the SDK's interceptor is to take from its store.
func session(ctx context.Context) context.Context {
	return a2aclient.AttachSessionID(ctx, "caller")
}

// connect makes a client over TLS with what that caller holds.
func (d accessDoor) connect(ctx context.Context, card *a2a.AgentCard, who access.Held) (agent, error) {
	http, encrypted := d.callers.HTTP(who), grpc.WithTransportCredentials(transport.NewTLS(d.callers.TLS(who)))
	client, err := a2aclient.NewFromCard(ctx, narrowed(card, d.binding, d.version),
		a2aclient.WithJSONRPCTransport(http),
		a2aclient.WithRESTTransport(http),
		a2agrpc.WithGRPCTransport(encrypted),
		a2av0.WithJSONRPCTransport(a2av0.JSONRPCTransportConfig{Client: http}),
		a2agrpcv0.WithGRPCTransport(encrypted),
		a2aclient.WithCallInterceptors(interceptorFor(who)),
	)
	return agent{client, d.binding, d.version}, err
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

func (h *headerInterceptor) Before(ctx context.Context, request *a2aclient.Request) (context.Context, any, error) {
	switch scheme := request.Card.SecuritySchemes[h.scheme].(type) {
	case a2a.HTTPAuthSecurityScheme:
		if scheme.Scheme != "Basic" {
			return ctx, nil, fmt.Errorf("scheme %q", scheme.Scheme)
		}
	case a2a.OpenIDConnectSecurityScheme:
		if scheme.OpenIDConnectURL == "" {
			return ctx, nil, errors.New("no address of the provider")
		}
	default:
		return ctx, nil, fmt.Errorf("%s is %T", h.scheme, scheme)
	}
	request.ServiceParams["Authorization"] = []string{h.value}
	return ctx, nil, nil
}
