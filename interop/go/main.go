// Command interop runs every check on every binding of the agent whose base URL is its first argument, in the version
// that is the second, and drives the SDK's own command line when its path is the third.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	a2agrpcv0 "github.com/a2aproject/a2a-go/v2/a2agrpc/v0"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
)

type checker func(title string, run func(context.Context) error)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "access" {
		os.Exit(accessMain(os.Args[2:]))
	}
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: interop BASE_URL VERSION [CLI]")
		os.Exit(2)
	}
	version, name := a2a.ProtocolVersion(os.Args[2]), "go"
	if version == a2av0.Version {
		name = "go-compat"
	}
	results := &report{}
	ctx := context.Background()
	resolver := agentcard.Resolver{CardParser: a2av0.NewAgentCardParser()}
	card, err := resolver.Resolve(ctx, os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	hooked, err := resolver.Resolve(ctx, os.Args[1]+"/a2a/webhooks/")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for _, binding := range bindingsOf(version) {
		check := func(title string, run func(context.Context) error) {
			results.check(fmt.Sprintf("%s %s %s", name, binding, title), run)
		}
		a, err := connect(ctx, card, binding, version)
		if err != nil {
			check("connects", func(context.Context) error { return err })
			continue
		}
		for _, group := range []func(agent, checker){messageChecks, partChecks, streamChecks, taskChecks, listChecks, errorChecks, cardChecks} {
			group(a, check)
		}
		if err := a.client.Destroy(); err != nil {
			check("closes", func(context.Context) error { return err })
		}
		// Of 0.3 this SDK cannot read what webhooks are told.
		if version == a2av0.Version {
			continue
		}
		a, err = connect(ctx, hooked, binding, version)
		if err != nil {
			check("connects to the agent that has webhooks", func(context.Context) error { return err })
			continue
		}
		webhookChecks(a, check)
	}
	if len(os.Args) > 3 {
		cliChecks(command{path: os.Args[3], url: os.Args[1], card: card}, results.check)
	}
	os.Exit(results.close())
}

// connect makes a client that may choose no binding and no version but these.
func connect(ctx context.Context, card *a2a.AgentCard, binding a2a.TransportProtocol, version a2a.ProtocolVersion) (agent, error) {
	plaintext := grpc.WithTransportCredentials(insecure.NewCredentials())
	client, err := a2aclient.NewFromCard(ctx, narrowed(card, binding, version),
		a2agrpc.WithGRPCTransport(plaintext),
		a2av0.WithJSONRPCTransport(a2av0.JSONRPCTransportConfig{}),
		a2agrpcv0.WithGRPCTransport(plaintext),
	)
	return agent{client, binding, version}, err
}

// narrowed is the card with the interfaces of that binding in that version alone.
func narrowed(card *a2a.AgentCard, binding a2a.TransportProtocol, version a2a.ProtocolVersion) *a2a.AgentCard {
	copied := *card
	copied.SupportedInterfaces = nil
	for _, served := range card.SupportedInterfaces {
		if served.ProtocolBinding == binding && served.ProtocolVersion == version {
			copied.SupportedInterfaces = append(copied.SupportedInterfaces, served)
		}
	}
	return &copied
}

func cardChecks(a agent, check checker) {
	check("GetExtendedAgentCard answers the extended card", func(ctx context.Context) error {
		card, err := a.client.GetExtendedAgentCard(ctx, &a2a.GetExtendedAgentCardRequest{})
		if err != nil {
			return err
		}
		// Over JSON-RPC of 0.3 this SDK reads the answer as a card of 1.0.
		if len(card.SupportedInterfaces) < 3 && !a.legacy(a2a.TransportProtocolJSONRPC) {
			return errors.New("interfaces missing")
		}
		return equal([]string{card.Name, card.Description}, []string{"Interop", "Seen by those who ask for more"})
	})
}
