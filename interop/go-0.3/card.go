package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"
)

func cardChecks(a agent, check checker) {
	check("the card names a 0.3 address for every binding", func(context.Context) error {
		card := a.card
		if !strings.HasPrefix(card.ProtocolVersion, "0.3") {
			return fmt.Errorf("protocol version %q", card.ProtocolVersion)
		}
		preferred := a2a.AgentInterface{Transport: card.PreferredTransport, URL: card.URL}
		if !slices.Contains(card.AdditionalInterfaces, preferred) {
			return errors.New("the preferred address is not among the others")
		}
		if !slices.ContainsFunc(card.AdditionalInterfaces, func(i a2a.AgentInterface) bool { return i.Transport == a.binding }) {
			return errors.New("no address for this binding")
		}
		return equal(card.Skills[0].ID, "answers")
	})

	check("GetExtendedAgentCard answers the extended card", func(ctx context.Context) error {
		card, err := a.client.GetAgentCard(ctx)
		if err != nil {
			return err
		}
		return equal([]any{card.Name, card.Description, card.Capabilities.Streaming}, []any{"Interop", "Seen by those who ask for more", true})
	})
}
