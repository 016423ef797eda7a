package main

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
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
		if a.legacy(a2a.TransportProtocolGRPC) {
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

	again := "answers a canceled one again"
	if a.version == a2av0.Version {
		again = "refuses a canceled one"
	}
	check("CancelTask stops a task under way, and "+again, func(ctx context.Context) error {
		id, err := a.begun(ctx, "slow")
		if err != nil {
			return err
		}
		once, errOnce := a.cancel(ctx, id)
		stored, errGet := a.get(ctx, id, nil)
		twice, errTwice := a.cancel(ctx, id)
		if err := errors.Join(errOnce, errGet); err != nil {
			return err
		}
		if err := equal([]a2a.TaskState{once.Status.State, stored.Status.State}, []a2a.TaskState{a2a.TaskStateCanceled, a2a.TaskStateCanceled}); err != nil {
			return err
		}
		if a.version == a2av0.Version {
			return refused(errTwice, a2a.ErrTaskNotCancelable)
		}
		if errTwice != nil {
			return errTwice
		}
		return equal(twice.Status.State, a2a.TaskStateCanceled)
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

// listChecks is of 1.0 alone: in 0.3 no two sources agree on a ListTasks.
func listChecks(a agent, check checker) {
	if a.version == a2av0.Version {
		return
	}
	contextID := a2a.NewContextID()
	var ids []a2a.TaskID

	check("ListTasks walks all pages without gap or repeat, newest first", func(ctx context.Context) error {
		for _, text := range []string{"one", "two", "three", "four", "ask"} {
			task, err := a.task(ctx, text, inContext(contextID))
			if err != nil {
				return err
			}
			ids = append([]a2a.TaskID{task.ID}, ids...)
			// Tasks of one millisecond have no order among them.
			time.Sleep(2 * time.Millisecond)
		}
		var seen []a2a.TaskID
		token := ""
		for _, size := range []int{2, 2, 1} {
			page, err := a.client.ListTasks(ctx, &a2a.ListTasksRequest{ContextID: contextID, PageSize: 2, PageToken: token})
			if err != nil {
				return err
			}
			if err := equal([]int{len(page.Tasks), page.TotalSize, page.PageSize}, []int{size, 5, 2}); err != nil {
				return err
			}
			for _, task := range page.Tasks {
				seen = append(seen, task.ID)
			}
			token = page.NextPageToken
		}
		return errors.Join(equal(token, ""), equal(seen, ids))
	})

	found := func(title string, filter *a2a.ListTasksRequest, want int) {
		check(title, func(ctx context.Context) error {
			page, err := a.client.ListTasks(ctx, filter)
			if err != nil {
				return err
			}
			return equal([]any{len(page.Tasks), page.TotalSize, page.NextPageToken}, []any{want, want, ""})
		})
	}
	future, past := time.Now().Add(time.Hour), time.Now().Add(-time.Hour)
	found("ListTasks filters by state", &a2a.ListTasksRequest{ContextID: contextID, Status: a2a.TaskStateInputRequired}, 1)
	// On HTTP+JSON this SDK calls the parameter lastUpdatedAfter, which the specification does not have.
	if a.binding != a2a.TransportProtocolHTTPJSON {
		found("ListTasks finds nothing from the future", &a2a.ListTasksRequest{ContextID: contextID, StatusTimestampAfter: &future}, 0)
	}
	found("ListTasks finds everything since the past", &a2a.ListTasksRequest{ContextID: contextID, StatusTimestampAfter: &past}, 5)
	found("ListTasks answers an empty page for an unknown context", &a2a.ListTasksRequest{ContextID: a2a.NewContextID()}, 0)

	check("ListTasks leaves artifacts out unless they are asked for", func(ctx context.Context) error {
		bare, errBare := a.client.ListTasks(ctx, &a2a.ListTasksRequest{ContextID: contextID})
		full, errFull := a.client.ListTasks(ctx, &a2a.ListTasksRequest{ContextID: contextID, IncludeArtifacts: true})
		if err := errors.Join(errBare, errFull); err != nil {
			return err
		}
		return equal([]int{len(bare.Tasks[1].Artifacts), len(full.Tasks[1].Artifacts)}, []int{0, 1})
	})
}

func asJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}
