package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
)

// agent is the agent under test, as the SDK's client sees it on one binding in one version.
type agent struct {
	client  *a2aclient.Client
	binding a2a.TransportProtocol
	version a2a.ProtocolVersion
}

// legacy is true for that binding of 0.3.
func (a agent) legacy(binding a2a.TransportProtocol) bool {
	return a.version == a2av0.Version && a.binding == binding
}

type option func(*a2a.SendMessageRequest)

func onTask(id a2a.TaskID) option {
	return func(r *a2a.SendMessageRequest) { r.Message.TaskID = id }
}

func inContext(id string) option {
	return func(r *a2a.SendMessageRequest) { r.Message.ContextID = id }
}

func withParts(parts ...*a2a.Part) option {
	return func(r *a2a.SendMessageRequest) { r.Message.Parts = parts }
}

func immediately(r *a2a.SendMessageRequest) {
	r.Config = &a2a.SendMessageConfig{ReturnImmediately: true}
}

func withHistory(n int) option {
	return func(r *a2a.SendMessageRequest) { r.Config = &a2a.SendMessageConfig{HistoryLength: &n} }
}

func request(text string, options []option) *a2a.SendMessageRequest {
	r := &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(text))}
	for _, apply := range options {
		apply(r)
	}
	return r
}

func (a agent) send(ctx context.Context, text string, options ...option) (a2a.SendMessageResult, error) {
	return a.client.SendMessage(ctx, request(text, options))
}

// task sends a message that is answered with a task.
func (a agent) task(ctx context.Context, text string, options ...option) (*a2a.Task, error) {
	result, err := a.send(ctx, text, options...)
	if err != nil {
		return nil, err
	}
	task, ok := result.(*a2a.Task)
	if !ok {
		return nil, fmt.Errorf("%T instead of a task", result)
	}
	return task, nil
}

// begun is the id of a task that is under way: by stream, since only JSON-RPC of 0.3 can say that nobody waits.
func (a agent) begun(ctx context.Context, text string) (a2a.TaskID, error) {
	for event, err := range a.client.SendStreamingMessage(ctx, request(text, nil)) {
		if err != nil {
			return "", err
		}
		if task, ok := event.(*a2a.Task); ok {
			return task.ID, nil
		}
		break
	}
	return "", errors.New("no task")
}

func (a agent) stream(ctx context.Context, text string, options ...option) ([]a2a.Event, error) {
	return collect(a.client.SendStreamingMessage(ctx, request(text, options)))
}

func (a agent) subscription(ctx context.Context, id a2a.TaskID) iter.Seq2[a2a.Event, error] {
	return a.client.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: id})
}

func (a agent) cancel(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	return a.client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id})
}

func (a agent) get(ctx context.Context, id a2a.TaskID, history *int) (*a2a.Task, error) {
	return a.client.GetTask(ctx, &a2a.GetTaskRequest{ID: id, HistoryLength: history})
}

func collect(stream iter.Seq2[a2a.Event, error]) ([]a2a.Event, error) {
	var events []a2a.Event
	for event, err := range stream {
		if err != nil {
			return events, err
		}
		events = append(events, event)
	}
	return events, nil
}

func textOf(parts a2a.ContentParts) string {
	var text strings.Builder
	for _, part := range parts {
		text.WriteString(part.Text())
	}
	return text.String()
}

func textsOf(messages []*a2a.Message) []string {
	texts := []string{}
	for _, message := range messages {
		texts = append(texts, textOf(message.Parts))
	}
	return texts
}

// kinds names each event of a stream.
func kinds(events []a2a.Event) []string {
	names := []string{}
	for _, event := range events {
		switch event.(type) {
		case *a2a.Task:
			names = append(names, "task")
		case *a2a.Message:
			names = append(names, "message")
		case *a2a.TaskStatusUpdateEvent:
			names = append(names, "status")
		case *a2a.TaskArtifactUpdateEvent:
			names = append(names, "artifact")
		}
	}
	return names
}

// story is the states that a stream went through, and its artifacts as a reader puts them together.
func story(events []a2a.Event) (states []a2a.TaskState, text string) {
	artifacts := map[a2a.ArtifactID]string{}
	for _, event := range events {
		switch e := event.(type) {
		case *a2a.Task:
			states = append(states, e.Status.State)
			for _, artifact := range e.Artifacts {
				artifacts[artifact.ID] = textOf(artifact.Parts)
			}
		case *a2a.TaskStatusUpdateEvent:
			states = append(states, e.Status.State)
		case *a2a.TaskArtifactUpdateEvent:
			before := ""
			if e.Append {
				before = artifacts[e.Artifact.ID]
			}
			artifacts[e.Artifact.ID] = before + textOf(e.Artifact.Parts)
		}
	}
	for _, artifact := range artifacts {
		text += artifact
	}
	return states, text
}

// ends is nil when a stream ended in a state with that text.
func ends(events []a2a.Event, state a2a.TaskState, text string) error {
	states, got := story(events)
	if len(states) == 0 {
		return fmt.Errorf("no state in %d events", len(events))
	}
	return equal([]any{states[len(states)-1], got}, []any{state, text})
}
