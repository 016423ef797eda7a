package main

import (
	"context"
	"errors"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

func streamChecks(a agent, check checker) {
	check("SendStreamingMessage answers a message as its only event", func(ctx context.Context) error {
		events, err := a.stream(ctx, "hello")
		return errors.Join(err, equal(kinds(events), []string{"message"}))
	})

	check("SendStreamingMessage tells the whole story in order", func(ctx context.Context) error {
		events, err := a.stream(ctx, "chunks")
		if err != nil {
			return err
		}
		var marks [][]bool
		for _, event := range events {
			if chunk, ok := event.(*a2a.TaskArtifactUpdateEvent); ok {
				marks = append(marks, []bool{chunk.Append, chunk.LastChunk})
			}
		}
		states, text := story(events)
		return errors.Join(
			equal(kinds(events), []string{"task", "status", "artifact", "artifact", "artifact", "status"}),
			equal(states, []a2a.TaskState{a2a.TaskStateSubmitted, a2a.TaskStateWorking, a2a.TaskStateCompleted}),
			equal(text, "one two three"),
			equal(marks, [][]bool{{false, false}, {true, false}, {true, true}}),
			equal(textsOf(events[0].(*a2a.Task).History), []string{"chunks"}),
		)
	})

	check("SendStreamingMessage ends at INPUT_REQUIRED and continues the task", func(ctx context.Context) error {
		asked, err := a.stream(ctx, "ask")
		if err != nil {
			return err
		}
		id := asked[0].(*a2a.Task).ID
		done, err := a.stream(ctx, "answer Rome", onTask(id))
		if err != nil {
			return err
		}
		return errors.Join(
			ends(asked, a2a.TaskStateInputRequired, ""),
			equal(done[0].(*a2a.Task).ID, id),
			ends(done, a2a.TaskStateCompleted, "Rome"),
		)
	})

	check("SendStreamingMessage ends with the failure of a task", func(ctx context.Context) error {
		events, err := a.stream(ctx, "fail")
		return errors.Join(err, ends(events, a2a.TaskStateFailed, ""))
	})

	check("SubscribeToTask starts with the task and follows it to its end", func(ctx context.Context) error {
		id, err := a.begun(ctx, "ticks")
		if err != nil {
			return err
		}
		results := make(chan error, 2)
		for range 2 {
			go func() {
				events, err := collect(a.subscription(ctx, id))
				if err == nil {
					err = errors.Join(equal(kinds(events)[0], "task"), ends(events, a2a.TaskStateCompleted, "12345"))
				}
				results <- err
			}()
		}
		return errors.Join(<-results, <-results)
	})

	check("SubscribeToTask stays through INPUT_REQUIRED", func(ctx context.Context) error {
		task, err := a.task(ctx, "ask")
		if err != nil {
			return err
		}
		answered := make(chan error, 1)
		var events []a2a.Event
		for event, err := range a.subscription(ctx, task.ID) {
			if err != nil {
				return err
			}
			if events = append(events, event); len(events) == 1 {
				go func() {
					_, err := a.task(ctx, "answer Oslo", onTask(task.ID))
					answered <- err
				}()
			}
		}
		states, _ := story(events)
		return errors.Join(<-answered, equal(states[0], a2a.TaskStateInputRequired), ends(events, a2a.TaskStateCompleted, "Oslo"))
	})

	check("a client that leaves a stream does not stop its task", func(ctx context.Context) error {
		id, err := a.begun(ctx, "ticks")
		if err != nil {
			return err
		}
		events, err := collect(a.subscription(ctx, id))
		return errors.Join(err, ends(events, a2a.TaskStateCompleted, "12345"))
	})
}
