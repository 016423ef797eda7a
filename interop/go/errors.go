package main

import (
	"context"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
)

func errorChecks(a agent, check checker) {
	ctx := context.Background()
	finished, err := a.task(ctx, "done")
	if err != nil {
		check("SendMessage before the errors", func(context.Context) error { return err })
		return
	}
	waiting, err := a.task(ctx, "ask")
	if err != nil {
		check("SendMessage before the errors", func(context.Context) error { return err })
		return
	}
	refuses := func(title string, want error, call func(context.Context) error) {
		check(title, func(ctx context.Context) error { return refused(call(ctx), a.read(want)) })
	}
	send := func(text string, options ...option) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := a.send(ctx, text, options...)
			return err
		}
	}
	// Over JSON-RPC this SDK reads nothing but an event stream, so that the plain error of a stream that did not begin
	// (spec 9.4.2) is no event and no error to it.
	refusesStream := func(title string, want error, open func(context.Context) ([]a2a.Event, error)) {
		check(title, func(ctx context.Context) error {
			events, err := open(ctx)
			if a.binding == a2a.TransportProtocolJSONRPC && err == nil {
				return equal(len(events), 0)
			}
			return refused(err, a.read(want))
		})
	}
	stream := func(options ...option) func(context.Context) ([]a2a.Event, error) {
		return func(ctx context.Context) ([]a2a.Event, error) { return a.stream(ctx, "a", options...) }
	}
	subscribe := func(id a2a.TaskID) func(context.Context) ([]a2a.Event, error) {
		return func(ctx context.Context) ([]a2a.Event, error) { return collect(a.subscription(ctx, id)) }
	}
	const unknown = a2a.TaskID("no-such-task")

	refuses("GetTask: no such task", a2a.ErrTaskNotFound, func(ctx context.Context) error {
		_, err := a.get(ctx, unknown, nil)
		return err
	})
	refuses("SendMessage: no such task", a2a.ErrTaskNotFound, send("a", onTask(unknown)))
	refusesStream("SendStreamingMessage: no such task", a2a.ErrTaskNotFound, stream(onTask(unknown)))
	refusesStream("SubscribeToTask: no such task", a2a.ErrTaskNotFound, subscribe(unknown))
	refuses("SendMessage: a finished task takes no more messages", a2a.ErrUnsupportedOperation, send("a", onTask(finished.ID)))
	refusesStream("SendStreamingMessage: a finished task takes no more messages", a2a.ErrUnsupportedOperation, stream(onTask(finished.ID)))
	refusesStream("SubscribeToTask: a finished task has no more events", a2a.ErrUnsupportedOperation, subscribe(finished.ID))
	refuses("SendMessage: a task has one context", a2a.ErrInvalidParams, send("a", onTask(waiting.ID), inContext("another")))
	refuses("SendMessage: a message has an id", a2a.ErrInvalidParams, send("a", func(r *a2a.SendMessageRequest) { r.Message.ID = "" }))
	if a.version != a2av0.Version {
		refuses("ListTasks: a page has a size", a2a.ErrInvalidParams, func(ctx context.Context) error {
			_, err := a.client.ListTasks(ctx, &a2a.ListTasksRequest{PageSize: 1000})
			return err
		})
	}
	refuses("SendMessage: the error of an agent keeps its type", a2a.ErrUnsupportedContentType, send("refuse"))

	hook := &a2a.PushConfig{TaskID: finished.ID, ID: "hook", URL: "http://127.0.0.1:9/hook"}
	unsupported := a2a.ErrPushNotificationNotSupported
	refuses("CreateTaskPushNotificationConfig says that push is not supported", unsupported, func(ctx context.Context) error {
		_, err := a.client.CreateTaskPushConfig(ctx, hook)
		return err
	})
	refuses("GetTaskPushNotificationConfig says that push is not supported", unsupported, func(ctx context.Context) error {
		_, err := a.client.GetTaskPushConfig(ctx, &a2a.GetTaskPushConfigRequest{TaskID: finished.ID, ID: "hook"})
		return err
	})
	refuses("ListTaskPushNotificationConfigs says that push is not supported", unsupported, func(ctx context.Context) error {
		_, err := a.client.ListTaskPushConfigs(ctx, &a2a.ListTaskPushConfigRequest{TaskID: finished.ID})
		return err
	})
	refuses("DeleteTaskPushNotificationConfig says that push is not supported", unsupported, func(ctx context.Context) error {
		return a.client.DeleteTaskPushConfig(ctx, &a2a.DeleteTaskPushConfigRequest{TaskID: finished.ID, ID: "hook"})
	})
}

// read is what the SDK makes of an error: on gRPC of 0.3 it has the status alone, which several errors share.
func (a agent) read(err error) error {
	if !a.legacy(a2a.TransportProtocolGRPC) {
		return err
	}
	switch err {
	case a2a.ErrUnsupportedOperation, a2a.ErrPushNotificationNotSupported:
		return a2a.ErrMethodNotFound
	case a2a.ErrUnsupportedContentType:
		return a2a.ErrInvalidParams
	default:
		return err
	}
}
