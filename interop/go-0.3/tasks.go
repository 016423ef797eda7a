package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/a2aproject/a2a-go/a2a"
)

func taskChecks(a agent, check checker) {
	check("GetTask answers what SendMessage answered", func(ctx context.Context) error {
		sent, err := a.task(ctx, "the same")
		if err != nil {
			return err
		}
		got, err := a.get(ctx, sent.ID, nil)
		return errors.Join(err, equal(asJSON(got), asJSON(sent)))
	})

	check("GetTask cuts the history to the newest messages", func(ctx context.Context) error {
		asked, err := a.task(ctx, "ask")
		if err != nil {
			return err
		}
		if _, err := a.task(ctx, "answer Bonn", onTask(asked.ID)); err != nil {
			return err
		}
		all, err := a.get(ctx, asked.ID, nil)
		if err != nil {
			return err
		}
		texts := textsOf(all.History)
		if len(texts) < 2 {
			return errors.New("history too short")
		}
		wants := map[int][]string{100: texts, 1: texts[len(texts)-1:], 0: {}}
		// In the protobuf of 0.3 a length of zero is no length at all.
		if a.binding == a2a.TransportProtocolGRPC {
			wants[0] = texts
		}
		for length, want := range wants {
			task, err := a.get(ctx, asked.ID, &length)
			if err != nil {
				return err
			}
			if err := equal(textsOf(task.History), want); err != nil {
				return err
			}
		}
		return nil
	})

	check("CancelTask stops a task under way, and refuses a canceled one", func(ctx context.Context) error {
		id, err := a.begun(ctx, "slow")
		if err != nil {
			return err
		}
		once, errOnce := a.cancel(ctx, id)
		stored, errGet := a.get(ctx, id, nil)
		_, twice := a.cancel(ctx, id)
		if err := errors.Join(errOnce, errGet, refused(twice, a2a.ErrTaskNotCancelable)); err != nil {
			return err
		}
		got := []a2a.TaskState{once.Status.State, stored.Status.State}
		return equal(got, []a2a.TaskState{a2a.TaskStateCanceled, a2a.TaskStateCanceled})
	})

	check("CancelTask cancels a task that waits for input", func(ctx context.Context) error {
		task, err := a.task(ctx, "ask")
		if err != nil {
			return err
		}
		canceled, err := a.cancel(ctx, task.ID)
		if err != nil {
			return err
		}
		return equal(canceled.Status.State, a2a.TaskStateCanceled)
	})

	check("CancelTask refuses a finished task and one that is not there", func(ctx context.Context) error {
		task, err := a.task(ctx, "done")
		if err != nil {
			return err
		}
		_, finished := a.cancel(ctx, task.ID)
		_, unknown := a.cancel(ctx, "no-such-task")
		return errors.Join(refused(finished, a2a.ErrTaskNotCancelable), refused(unknown, a2a.ErrTaskNotFound))
	})
}

func asJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}
