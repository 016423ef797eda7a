// An agent on the server of a2a-go 2.3: 1.0 on all three bindings, 0.3 on JSON-RPC and gRPC. Prints its address once it
// serves.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	grpc03 "github.com/a2aproject/a2a-go/v2/a2agrpc/v0"
	grpc10 "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"google.golang.org/grpc"
)

func main() {
	web, rpc := listen(), listen()
	address, target := "http://"+web.Addr().String(), rpc.Addr().String()
	handler := a2asrv.NewHandler(&executor{slow: map[a2a.TaskID]string{}, canceled: map[string]bool{}})

	server := grpc.NewServer()
	grpc10.NewHandler(handler).RegisterWith(server)
	grpc03.NewHandler(handler).RegisterWith(server)
	go func() { log.Fatal(server.Serve(rpc)) }()

	mux := http.NewServeMux()
	producer := a2av0.NewStaticAgentCardProducer(cardOf(address, target))
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewAgentCardHandler(producer))
	mux.Handle("/rpc", a2asrv.NewJSONRPCHandler(handler))
	mux.Handle("/old-rpc", a2av0.NewJSONRPCHandler(handler))
	mux.Handle("/rest/", http.StripPrefix("/rest", a2asrv.NewRESTHandler(handler)))
	fmt.Println("ready", address)
	log.Fatal(http.Serve(web, mux))
}

func listen() net.Listener {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	return listener
}

func cardOf(address, target string) *a2a.AgentCard {
	return &a2a.AgentCard{
		Name:        "Remote",
		Description: "Answers each text in its own way",
		Version:     "1.0.0",
		SupportedInterfaces: []*a2a.AgentInterface{
			{URL: address + "/rpc", ProtocolBinding: a2a.TransportProtocolJSONRPC, ProtocolVersion: "1.0"},
			{URL: address + "/rest", ProtocolBinding: a2a.TransportProtocolHTTPJSON, ProtocolVersion: "1.0"},
			{URL: target, ProtocolBinding: a2a.TransportProtocolGRPC, ProtocolVersion: "1.0"},
			{URL: address + "/old-rpc", ProtocolBinding: a2a.TransportProtocolJSONRPC, ProtocolVersion: "0.3"},
			{URL: target, ProtocolBinding: a2a.TransportProtocolGRPC, ProtocolVersion: "0.3"},
		},
		Capabilities:       a2a.AgentCapabilities{Streaming: true},
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.AgentSkill{
			{ID: "answers", Name: "Answers", Description: "One answer for each text", Tags: []string{"test"}},
		},
	}
}
