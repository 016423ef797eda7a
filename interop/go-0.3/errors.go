package main

import (
	"context"

	"github.com/a2aproject/a2a-go/a2a"
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
		check(title, func(ctx context.Context) error { return refused(call(ctx), want) })
	}
	send := func(text string, options ...option) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := a.send(ctx, text, options...)
			return err
		}
	}
	// Over JSON-RPC this SDK reads nothing but an event stream, so that the plain error of a stream that did not begin is
	// no event and no error to it.
	refusesStream := func(title string, want error, options ...option) {
		check(title, func(ctx context.Context) error {
			events, err := a.stream(ctx, "a", options...)
			if a.binding == a2a.TransportProtocolJSONRPC && err == nil {
				return equal(len(events), 0)
			}
			return refused(err, want)
		})
	}
	subscribe := func(id a2a.TaskID) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := collect(a.subscription(ctx, id))
			return err
		}
	}
	const unknown = a2a.TaskID("no-such-task")
	// Several errors share a gRPC status, which this SDK reads as one of them.
	contentType, noMethod := a2a.ErrUnsupportedContentType, a2a.ErrMethodNotFound
	if a.binding == a2a.TransportProtocolGRPC {
		contentType, noMethod = a2a.ErrInvalidParams, a2a.ErrUnsupportedOperation
	}

	refuses("GetTask: no such task", a2a.ErrTaskNotFound, func(ctx context.Context) error {
		_, err := a.get(ctx, unknown, nil)
		return err
	})
	refuses("SendMessage: no such task", a2a.ErrTaskNotFound, send("a", onTask(unknown)))
	refusesStream("SendStreamingMessage: no such task", a2a.ErrTaskNotFound, onTask(unknown))
	refuses("SubscribeToTask: no such task", a2a.ErrTaskNotFound, subscribe(unknown))
	refuses("SendMessage: a finished task takes no more messages", a2a.ErrUnsupportedOperation, send("a", onTask(finished.ID)))
	refusesStream("SendStreamingMessage: a finished task takes no more messages", a2a.ErrUnsupportedOperation, onTask(finished.ID))
	refuses("SubscribeToTask: a finished task has no more events", a2a.ErrUnsupportedOperation, subscribe(finished.ID))
	refuses("SendMessage: a task has one context", a2a.ErrInvalidParams, send("a", onTask(waiting.ID), inContext("another")))
	refuses("SendMessage: a message has an id", a2a.ErrInvalidParams, send("a", func(r *a2a.MessageSendParams) { r.Message.ID = "" }))
	refuses("SendMessage: the error of an agent keeps its type", contentType, send("refuse"))
	refuses("ListTasks is no operation of 0.3", noMethod, func(ctx context.Context) error {
		_, err := a.client.ListTasks(ctx, &a2a.ListTasksRequest{})
		return err
	})
}

func pushChecks(a agent, check checker) {
	unsupported := a2a.ErrPushNotificationNotSupported
	// Both errors have the gRPC status UNIMPLEMENTED, which this SDK reads as the other one.
	if a.binding == a2a.TransportProtocolGRPC {
		unsupported = a2a.ErrUnsupportedOperation
	}
	refuses := func(name string, call func(context.Context, a2a.TaskID) error) {
		check(name+" says that push is not supported", func(ctx context.Context) error {
			task, err := a.task(ctx, "done")
			if err != nil {
				return err
			}
			return refused(call(ctx, task.ID), unsupported)
		})
	}
	refuses("CreateTaskPushNotificationConfig", func(ctx context.Context, id a2a.TaskID) error {
		hook := a2a.PushConfig{ID: "hook", URL: "http://127.0.0.1:9/hook"}
		_, err := a.client.SetTaskPushConfig(ctx, &a2a.TaskPushConfig{TaskID: id, Config: hook})
		return err
	})
	refuses("GetTaskPushNotificationConfig", func(ctx context.Context, id a2a.TaskID) error {
		_, err := a.client.GetTaskPushConfig(ctx, &a2a.GetTaskPushConfigParams{TaskID: id, ConfigID: "hook"})
		return err
	})
	refuses("ListTaskPushNotificationConfigs", func(ctx context.Context, id a2a.TaskID) error {
		_, err := a.client.ListTaskPushConfig(ctx, &a2a.ListTaskPushConfigParams{TaskID: id})
		return err
	})
	refuses("DeleteTaskPushNotificationConfig", func(ctx context.Context, id a2a.TaskID) error {
		return a.client.DeleteTaskPushConfig(ctx, &a2a.DeleteTaskPushConfigParams{TaskID: id, ConfigID: "hook"})
	})
}
