package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2aclient"
)

// agent is the agent under test, as the SDK's client sees it on one binding.
type agent struct {
	client  *a2aclient.Client
	binding a2a.TransportProtocol
	card    *a2a.AgentCard
}

type option func(*a2a.MessageSendParams)

func onTask(id a2a.TaskID) option {
	return func(r *a2a.MessageSendParams) { r.Message.TaskID = id }
}

func inContext(id string) option {
	return func(r *a2a.MessageSendParams) { r.Message.ContextID = id }
}

func withParts(parts ...a2a.Part) option {
	return func(r *a2a.MessageSendParams) { r.Message.Parts = parts }
}

func withHistory(n int) option {
	return func(r *a2a.MessageSendParams) {
		wait := true
		r.Config = &a2a.MessageSendConfig{HistoryLength: &n, Blocking: &wait}
	}
}

func request(text string, options []option) *a2a.MessageSendParams {
	r := &a2a.MessageSendParams{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.TextPart{Text: text})}
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

// begun is the id of a task that is under way: by stream, since gRPC of 0.3 cannot tell a false "blocking" from none.
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
	return a.client.ResubscribeToTask(ctx, &a2a.TaskIDParams{ID: id})
}

func (a agent) cancel(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	return a.client.CancelTask(ctx, &a2a.TaskIDParams{ID: id})
}

func (a agent) get(ctx context.Context, id a2a.TaskID, history *int) (*a2a.Task, error) {
	return a.client.GetTask(ctx, &a2a.TaskQueryParams{ID: id, HistoryLength: history})
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
		if content, ok := part.(a2a.TextPart); ok {
			text.WriteString(content.Text)
		}
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
