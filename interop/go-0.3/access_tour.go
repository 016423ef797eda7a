package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/a2aproject/a2a-go/a2a"

	"interop/access"
)

// tour is a check of every operation, as somebody who is let in.
func (d accessDoor) tour(who access.Held) func(context.Context) error {
	return func(ctx context.Context) error {
		a, err := d.connect(ctx, d.card, who)
		if err != nil {
			return err
		}
		ctx = session(ctx)
		sent, err := a.task(ctx, "hello")
		if err != nil {
			return fmt.Errorf("SendMessage: %w", err)
		}
		_, errGet := a.get(ctx, sent.ID, nil)
		events, errStream := a.stream(ctx, "hello")
		if err := errors.Join(errGet, errStream, ends(events, a2a.TaskStateCompleted, "hello")); err != nil {
			return err
		}
		return errors.Join(waitingTour(ctx, a), cardTour(ctx, a))
	}
}

// waitingTour is what can be done with a task that waits.
func waitingTour(ctx context.Context, a agent) error {
	task, err := a.task(ctx, "ask")
	if err != nil {
		return err
	}
	for event, err := range a.subscription(ctx, task.ID) {
		if err != nil || event.TaskInfo().TaskID != task.ID {
			return fmt.Errorf("SubscribeToTask: %w", err)
		}
		break
	}
	hook := &a2a.TaskPushConfig{TaskID: task.ID, Config: a2a.PushConfig{ID: "hook", URL: "http://127.0.0.1:9/hook"}}
	_, errCreate := a.client.SetTaskPushConfig(ctx, hook)
	found, errGet := a.client.GetTaskPushConfig(ctx, &a2a.GetTaskPushConfigParams{TaskID: task.ID, ConfigID: "hook"})
	all, errList := a.client.ListTaskPushConfig(ctx, &a2a.ListTaskPushConfigParams{TaskID: task.ID})
	errDelete := a.client.DeleteTaskPushConfig(ctx, &a2a.DeleteTaskPushConfigParams{TaskID: task.ID, ConfigID: "hook"})
	if err := errors.Join(errCreate, errGet, errList, errDelete); err != nil {
		return err
	}
	canceled, err := a.cancel(ctx, task.ID)
	if err != nil {
		return err
	}
	return errors.Join(equal(found.Config.URL, hook.Config.URL), equal(len(all), 1), equal(canceled.Status.State, a2a.TaskStateCanceled))
}

func cardTour(ctx context.Context, a agent) error {
	card, err := a.client.GetAgentCard(ctx)
	if err != nil {
		return err
	}
	return equal(card.Description, "Seen by those who ask for more")
}
