package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/a2aproject/a2a-go/a2a"
)

func messageChecks(a agent, check checker) {
	check("SendMessage answers with a message", func(ctx context.Context) error {
		result, err := a.send(ctx, "hello")
		if err != nil {
			return err
		}
		message, ok := result.(*a2a.Message)
		if !ok || message.ID == "" {
			return fmt.Errorf("%T instead of a message with an id", result)
		}
		return equal([]any{textOf(message.Parts), message.Role}, []any{"hello back", a2a.MessageRoleAgent})
	})

	check("SendMessage answers with a finished task", func(ctx context.Context) error {
		text := "grüße an alle 🙂"
		task, err := a.task(ctx, text)
		if err != nil {
			return err
		}
		if task.ID == "" || task.ContextID == "" || task.Status.Timestamp == nil {
			return errors.New("incomplete task")
		}
		got := []any{task.Status.State, textOf(task.Artifacts[0].Parts), textOf(task.History[0].Parts)}
		return equal(got, []any{a2a.TaskStateCompleted, text, text})
	})

	check("SendMessage keeps the contextId of its caller", func(ctx context.Context) error {
		contextID := a2a.NewContextID()
		one, errOne := a.task(ctx, "a", inContext(contextID))
		two, errTwo := a.task(ctx, "b", inContext(contextID))
		if err := errors.Join(errOne, errTwo); err != nil {
			return err
		}
		return equal([]string{one.ContextID, two.ContextID}, []string{contextID, contextID})
	})

	check("SendMessage with historyLength cuts the history", func(ctx context.Context) error {
		asked, err := a.task(ctx, "ask")
		if err != nil {
			return err
		}
		more, err := a.task(ctx, "more", onTask(asked.ID), withHistory(1))
		if err != nil {
			return err
		}
		return equal(len(more.History), 1)
	})

	// On gRPC of 0.3 a false "blocking" is none.
	if a.binding == a2a.TransportProtocolJSONRPC {
		check("SendMessage with blocking false answers a task under way", func(ctx context.Context) error {
			wait := false
			task, err := a.task(ctx, "slow", func(r *a2a.MessageSendParams) { r.Config = &a2a.MessageSendConfig{Blocking: &wait} })
			if err != nil {
				return err
			}
			if task.Status.State != a2a.TaskStateSubmitted && task.Status.State != a2a.TaskStateWorking {
				return fmt.Errorf("state %s", task.Status.State)
			}
			stored, errGet := a.get(ctx, task.ID, nil)
			_, errCancel := a.cancel(ctx, task.ID)
			if err := errors.Join(errGet, errCancel); err != nil {
				return err
			}
			return equal(stored.ID, task.ID)
		})
	}

	check("SendMessage continues a task that needs input", func(ctx context.Context) error {
		asked, err := a.task(ctx, "ask")
		if err != nil {
			return err
		}
		more, err := a.task(ctx, "more", onTask(asked.ID), inContext(asked.ContextID))
		if err != nil {
			return err
		}
		done, err := a.task(ctx, "answer Paris", onTask(asked.ID))
		if err != nil {
			return err
		}
		asks := slices.DeleteFunc(slices.Clone(done.History), func(m *a2a.Message) bool { return m.Role != a2a.MessageRoleUser })
		return errors.Join(
			equal([]any{asked.Status.State, textOf(asked.Status.Message.Parts)}, []any{a2a.TaskStateInputRequired, "which city?"}),
			equal(more.Status.State, a2a.TaskStateInputRequired),
			equal([]any{done.ID, done.ContextID, done.Status.State}, []any{asked.ID, asked.ContextID, a2a.TaskStateCompleted}),
			equal(textOf(done.Artifacts[0].Parts), "Paris"),
			equal(textsOf(asks), []string{"ask", "more", "answer Paris"}),
		)
	})

	check("SendMessage answers a task that failed, and one that was rejected", func(ctx context.Context) error {
		failed, errFailed := a.task(ctx, "fail")
		rejected, errRejected := a.task(ctx, "reject")
		if err := errors.Join(errFailed, errRejected); err != nil {
			return err
		}
		return errors.Join(
			equal([]any{failed.Status.State, textOf(failed.Status.Message.Parts)}, []any{a2a.TaskStateFailed, "broken on purpose"}),
			equal(rejected.Status.State, a2a.TaskStateRejected),
		)
	})
}
