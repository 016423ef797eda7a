package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"

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
		if d.version != a2av0.Version {
			page, err := a.client.ListTasks(ctx, &a2a.ListTasksRequest{})
			if err != nil || len(page.Tasks) == 0 {
				return fmt.Errorf("ListTasks: %w", err)
			}
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
	hook := &a2a.PushConfig{TaskID: task.ID, ID: "hook", URL: "http://127.0.0.1:9/hook"}
	_, errCreate := a.client.CreateTaskPushConfig(ctx, hook)
	found, errGet := a.client.GetTaskPushConfig(ctx, &a2a.GetTaskPushConfigRequest{TaskID: task.ID, ID: "hook"})
	all, errList := a.client.ListTaskPushConfigs(ctx, &a2a.ListTaskPushConfigRequest{TaskID: task.ID})
	errDelete := a.client.DeleteTaskPushConfig(ctx, &a2a.DeleteTaskPushConfigRequest{TaskID: task.ID, ID: "hook"})
	if err := errors.Join(errCreate, errGet, errList, errDelete); err != nil {
		return err
	}
	canceled, err := a.cancel(ctx, task.ID)
	if err != nil {
		return err
	}
	return errors.Join(equal(found.URL, hook.URL), equal(len(all), 1), equal(canceled.Status.State, a2a.TaskStateCanceled))
}

func cardTour(ctx context.Context, a agent) error {
	card, err := a.client.GetExtendedAgentCard(ctx, &a2a.GetExtendedAgentCardRequest{})
	// On gRPC alone, and of 0.3, where the card has its requirements in the older form.
	if a.version != a2av0.Version && a.binding != a2a.TransportProtocolGRPC && isUnreadCard(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return equal(card.Description, "Seen by those who ask for more")
}
