package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

const token, credentials = "the token", "the-credentials"

// webhookChecks registers webhooks with the SDK's client and reads what they are told in the SDK's type.
func webhookChecks(a agent, check checker) {
	check("a webhook that comes with a message is told the whole task, in order", func(ctx context.Context) error {
		hook := openReceiver()
		defer hook.server.Close()
		task, err := a.task(ctx, "chunks", func(r *a2a.SendMessageRequest) {
			r.Config = &a2a.SendMessageConfig{PushConfig: configOf(hook, "")}
		})
		if err != nil {
			return err
		}
		received, err := hook.told(ctx, isDone)
		if err != nil {
			return err
		}
		states, text, err := storyOf(received, task.ID)
		return errors.Join(err, headersOf(received),
			equal(states, []a2a.TaskState{a2a.TaskStateSubmitted, a2a.TaskStateWorking, a2a.TaskStateCompleted}),
			equal(text, "one two three"))
	})

	check("CreateTaskPushNotificationConfig: a later webhook is told the task and what follows", func(ctx context.Context) error {
		hook := openReceiver()
		defer hook.server.Close()
		task, err := a.task(ctx, "ask")
		if err != nil {
			return err
		}
		config := configOf(hook, task.ID)
		created, err := a.client.CreateTaskPushConfig(ctx, config)
		if err != nil {
			return err
		}
		found, err := a.client.GetTaskPushConfig(ctx, &a2a.GetTaskPushConfigRequest{TaskID: task.ID, ID: "hook"})
		if err != nil {
			return err
		}
		if _, err := a.task(ctx, "answer Paris", onTask(task.ID)); err != nil {
			return err
		}
		received, err := hook.told(ctx, isDone)
		if err != nil {
			return err
		}
		first, err := eventIn(received[0])
		if _, ok := first.(*a2a.Task); !ok {
			return fmt.Errorf("first %T: %w", first, err)
		}
		_, text, err := storyOf(received, task.ID)
		return errors.Join(err, equal(created.URL, config.URL), equal(asJSON(found), asJSON(config)), equal(text, "Paris"))
	})

	check("DeleteTaskPushNotificationConfig: nothing more is told", func(ctx context.Context) error {
		deleted, kept := openReceiver(), openReceiver()
		defer deleted.server.Close()
		defer kept.server.Close()
		task, err := a.task(ctx, "ask")
		if err != nil {
			return err
		}
		other := configOf(kept, task.ID)
		other.ID = "kept"
		for _, config := range []*a2a.PushConfig{configOf(deleted, task.ID), other} {
			if _, err := a.client.CreateTaskPushConfig(ctx, config); err != nil {
				return err
			}
		}
		if err := a.client.DeleteTaskPushConfig(ctx, &a2a.DeleteTaskPushConfigRequest{TaskID: task.ID, ID: "hook"}); err != nil {
			return err
		}
		if _, err := a.task(ctx, "answer Paris", onTask(task.ID)); err != nil {
			return err
		}
		if _, err := kept.told(ctx, isDone); err != nil {
			return err
		}
		return equal(len(deleted.received), 0)
	})
}

func configOf(hook *receiver, id a2a.TaskID) *a2a.PushConfig {
	auth := &a2a.PushAuthInfo{Scheme: "Bearer", Credentials: credentials}
	return &a2a.PushConfig{TaskID: id, ID: "hook", URL: hook.server.URL, Token: token, Auth: auth}
}

// headersOf checks the headers under the names that this SDK gives them.
func headersOf(received []delivery) error {
	for _, each := range received {
		got := []string{each.headers.Get("A2A-Notification-Token"), each.headers.Get("Authorization"), each.headers.Get("Content-Type")}
		if err := equal(got, []string{token, "Bearer " + credentials, "application/a2a+json"}); err != nil {
			return err
		}
	}
	return nil
}

func eventIn(each delivery) (a2a.Event, error) {
	var response a2a.StreamResponse
	err := json.Unmarshal(each.body, &response)
	return response.Event, err
}

// storyOf is the states that a webhook was told, each once in a row, and the text of the artifact as it was told last.
func storyOf(received []delivery, id a2a.TaskID) (states []a2a.TaskState, text string, err error) {
	tell := func(state a2a.TaskState) {
		if len(states) == 0 || states[len(states)-1] != state {
			states = append(states, state)
		}
	}
	for _, each := range received {
		event, err := eventIn(each)
		if err != nil {
			return nil, "", err
		}
		if event.TaskInfo().TaskID != id {
			return nil, "", fmt.Errorf("task %s", event.TaskInfo().TaskID)
		}
		switch told := event.(type) {
		case *a2a.Task:
			tell(told.Status.State)
		case *a2a.TaskStatusUpdateEvent:
			tell(told.Status.State)
		case *a2a.TaskArtifactUpdateEvent:
			text = textOf(told.Artifact.Parts)
		}
	}
	return states, text, nil
}

func isDone(received []delivery) bool {
	if len(received) == 0 {
		return false
	}
	last, _ := eventIn(received[len(received)-1])
	update, ok := last.(*a2a.TaskStatusUpdateEvent)
	return ok && update.Status.State == a2a.TaskStateCompleted
}
