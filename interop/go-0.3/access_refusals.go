package main

import (
	"fmt"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"
)

// refusal is an error of the SDK, and the HTTP status in the text of those that it has over JSON-RPC.
type refusal struct {
	err    error
	status int
}

var unauthenticated, forbidden = refusal{a2a.ErrUnauthenticated, 401}, refusal{a2a.ErrUnauthorized, 403}

func (r refusal) isShownBy(err error, binding a2a.TransportProtocol) error {
	if binding != a2a.TransportProtocolJSONRPC {
		return refused(err, r.err)
	}
	// Over JSON-RPC this SDK reads no body of an answer that is not 200.
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("unexpected HTTP status: %d", r.status)) {
		return fmt.Errorf("got %w, want status %d", err, r.status)
	}
	return nil
}
