package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
)

// refusal is an error of the SDK, and the HTTP status in the text of those that it has over JSON-RPC.
type refusal struct {
	err    error
	status int
}

var unauthenticated, forbidden = refusal{a2a.ErrUnauthenticated, 401}, refusal{a2a.ErrUnauthorized, 403}

func (r refusal) isShownBy(err error, d accessDoor) error {
	switch {
	case d.binding == a2a.TransportProtocolJSONRPC:
		return r.hasStatus(err)
	case d.version != a2av0.Version && errors.Is(r.err, a2a.ErrUnauthorized):
		// This SDK goes by the reason, which is not that of the error it has for this.
		if err == nil || !strings.Contains(err.Error(), "is not allowed on agent") {
			return fmt.Errorf("got %w, want that this is not allowed", err)
		}
		return refused(err, a2a.ErrInternalError)
	}
	return refused(err, r.err)
}

func (r refusal) hasStatus(err error) error {
	// Over JSON-RPC this SDK reads no body of an answer that is not 200.
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("unexpected HTTP status: %d", r.status)) {
		return fmt.Errorf("got %w, want status %d", err, r.status)
	}
	return nil
}

// isUnreadCard is true for the error that this SDK has with an answer in JSON that is a card with security requirements:
// it takes lists where the specification has objects with a list.
func isUnreadCard(err error) bool {
	return err != nil && strings.Contains(err.Error(), "securityRequirements.schemes of type a2a.SecuritySchemeScopes")
}
