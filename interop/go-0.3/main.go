// Command interop runs every check on every binding of the agent whose base URL is its argument.
package main

import (
	"context"
	"fmt"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2aclient"
	"github.com/a2aproject/a2a-go/a2aclient/agentcard"
)

type checker func(title string, run func(context.Context) error)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "access" {
		os.Exit(accessMain(os.Args[2:]))
	}
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: interop BASE_URL")
		os.Exit(2)
	}
	results := &report{}
	ctx := context.Background()
	card, err := agentcard.DefaultResolver.Resolve(ctx, os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	// This SDK has no HTTP+JSON.
	for _, binding := range []a2a.TransportProtocol{a2a.TransportProtocolJSONRPC, a2a.TransportProtocolGRPC} {
		check := func(title string, run func(context.Context) error) {
			results.check(fmt.Sprintf("go-0.3 %s %s", binding, title), run)
		}
		a, err := connect(ctx, card, binding)
		if err != nil {
			check("connects", func(context.Context) error { return err })
			continue
		}
		for _, group := range []func(agent, checker){messageChecks, partChecks, streamChecks, taskChecks, pushChecks, errorChecks, cardChecks} {
			group(a, check)
		}
		if err := a.client.Destroy(); err != nil {
			check("closes", func(context.Context) error { return err })
		}
	}
	os.Exit(results.close())
}

// connect makes a client that may choose no binding but this one.
func connect(ctx context.Context, card *a2a.AgentCard, binding a2a.TransportProtocol) (agent, error) {
	transport := a2aclient.WithJSONRPCTransport(nil)
	if binding == a2a.TransportProtocolGRPC {
		transport = a2aclient.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials()))
	}
	client, err := a2aclient.NewFromCard(ctx, card, a2aclient.WithDefaultsDisabled(), transport)
	return agent{client, binding, card}, err
}
