// Command interop runs every check on every binding of the agent whose base URL is its first argument, and drives the
// SDK's own command line when its path is the second.
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
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
)

type checker func(title string, run func(context.Context) error)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: interop BASE_URL [CLI]")
		os.Exit(2)
	}
	results := &report{}
	ctx := context.Background()
	card, err := agentcard.DefaultResolver.Resolve(ctx, os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for _, binding := range []a2a.TransportProtocol{a2a.TransportProtocolJSONRPC, a2a.TransportProtocolHTTPJSON, a2a.TransportProtocolGRPC} {
		check := func(title string, run func(context.Context) error) {
			results.check(fmt.Sprintf("go %s %s", binding, title), run)
		}
		a, err := connect(ctx, card, binding)
		if err != nil {
			check("connects", func(context.Context) error { return err })
			continue
		}
		for _, group := range []func(agent, checker){messageChecks, streamChecks, taskChecks, listChecks, errorChecks, cardChecks} {
			group(a, check)
		}
		if err := a.client.Destroy(); err != nil {
			check("closes", func(context.Context) error { return err })
		}
	}
	if len(os.Args) > 2 {
		cliChecks(command{path: os.Args[2], url: os.Args[1], card: card}, results.check)
	}
	os.Exit(results.close())
}

// connect makes a client that may choose no binding but this one.
func connect(ctx context.Context, card *a2a.AgentCard, binding a2a.TransportProtocol) (agent, error) {
	narrowed := *card
	narrowed.SupportedInterfaces = nil
	for _, served := range card.SupportedInterfaces {
		if served.ProtocolBinding == binding && served.ProtocolVersion == "1.0" {
			narrowed.SupportedInterfaces = append(narrowed.SupportedInterfaces, served)
		}
	}
	client, err := a2aclient.NewFromCard(ctx, &narrowed, a2agrpc.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials())))
	return agent{client, binding}, err
}

func cardChecks(a agent, check checker) {
	check("GetExtendedAgentCard answers the extended card", func(ctx context.Context) error {
		card, err := a.client.GetExtendedAgentCard(ctx, &a2a.GetExtendedAgentCardRequest{})
		if err != nil {
			return err
		}
		if len(card.SupportedInterfaces) < 3 {
			return errors.New("interfaces missing")
		}
		return equal([]string{card.Name, card.Description}, []string{"Interop", "Seen by those who ask for more"})
	})
}
