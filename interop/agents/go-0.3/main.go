// An agent on the server of a2a-go 0.3: 0.3 on JSON-RPC and gRPC. Prints its address once it serves.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2agrpc"
	"github.com/a2aproject/a2a-go/a2asrv"
	"google.golang.org/grpc"
)

func main() {
	web, rpc := listen(), listen()
	address := "http://" + web.Addr().String()
	handler := a2asrv.NewHandler(&executor{slow: map[a2a.TaskID]string{}, canceled: map[string]bool{}})

	server := grpc.NewServer()
	a2agrpc.NewHandler(handler).RegisterWith(server)
	go func() { log.Fatal(server.Serve(rpc)) }()

	mux := http.NewServeMux()
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(cardOf(address, rpc.Addr().String())))
	mux.Handle("/rpc", a2asrv.NewJSONRPCHandler(handler))
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
		Name:               "Remote",
		Description:        "Answers each text in its own way",
		Version:            "1.0.0",
		ProtocolVersion:    "0.3.0",
		URL:                address + "/rpc",
		PreferredTransport: a2a.TransportProtocolJSONRPC,
		AdditionalInterfaces: []a2a.AgentInterface{
			{URL: address + "/rpc", Transport: a2a.TransportProtocolJSONRPC},
			{URL: target, Transport: a2a.TransportProtocolGRPC},
		},
		Capabilities:       a2a.AgentCapabilities{Streaming: true},
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.AgentSkill{
			{ID: "answers", Name: "Answers", Description: "One answer for each text", Tags: []string{"test"}},
		},
	}
}
