package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/eventqueue"
)

// executor answers each text in its own way, as all agents of this folder do.
type executor struct {
	mutex sync.Mutex
	// Of tasks under way: the text that they were begun with.
	slow     map[a2a.TaskID]string
	canceled map[string]bool
}

func (e *executor) Execute(ctx context.Context, call *a2asrv.RequestContext, queue eventqueue.Queue) error {
	said := func(text string) *a2a.Message {
		return a2a.NewMessageForTask(a2a.MessageRoleAgent, call, a2a.TextPart{Text: text})
	}
	status := func(state a2a.TaskState, message *a2a.Message) error {
		event := a2a.NewStatusUpdateEvent(call, state, message)
		event.Final = state != a2a.TaskStateWorking
		return queue.Write(ctx, event)
	}
	word, rest, _ := strings.Cut(textOf(call.Message), " ")
	switch word {
	case "hello":
		return queue.Write(ctx, said("hello back"))
	case "canceled?":
		return queue.Write(ctx, said(e.answer(rest)))
	}
	if call.StoredTask == nil {
		if err := queue.Write(ctx, a2a.NewSubmittedTask(call, call.Message)); err != nil {
			return err
		}
	}
	if word == "ask" {
		return status(a2a.TaskStateInputRequired, said("which city?"))
	}
	if err := status(a2a.TaskStateWorking, nil); err != nil {
		return err
	}
	switch word {
	case "fail":
		return status(a2a.TaskStateFailed, said("broken on purpose"))
	case "slow":
		e.begin(call.TaskID, rest)
		pause(ctx, 30*time.Second)
	case "ticks":
		pause(ctx, 300*time.Millisecond)
		for tick := 1; tick <= 5; tick++ {
			if err := queue.Write(ctx, chunk(call, "ticks", fmt.Sprint(tick), tick == 1, tick == 5)); err != nil {
				return err
			}
			pause(ctx, 100*time.Millisecond)
		}
	case "chunks":
		for index, text := range []string{"one ", "two ", "three"} {
			if err := queue.Write(ctx, chunk(call, "story", text, index == 0, index == 2)); err != nil {
				return err
			}
		}
	case "answer":
		if err := queue.Write(ctx, chunk(call, "answer", rest, true, true)); err != nil {
			return err
		}
	default:
		event := chunk(call, "echo", "", true, true)
		event.Artifact.Parts = call.Message.Parts
		if err := queue.Write(ctx, event); err != nil {
			return err
		}
	}
	return status(a2a.TaskStateCompleted, nil)
}

func (e *executor) Cancel(ctx context.Context, call *a2asrv.RequestContext, queue eventqueue.Queue) error {
	e.mutex.Lock()
	e.canceled[e.slow[call.TaskID]] = true
	e.mutex.Unlock()
	event := a2a.NewStatusUpdateEvent(call, a2a.TaskStateCanceled, nil)
	event.Final = true
	return queue.Write(ctx, event)
}

func (e *executor) begin(id a2a.TaskID, text string) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.slow[id] = text
}

func (e *executor) answer(text string) string {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.canceled[text] {
		return "yes"
	}
	return "no"
}

func chunk(call *a2asrv.RequestContext, id a2a.ArtifactID, text string, isFirst, isLast bool) *a2a.TaskArtifactUpdateEvent {
	event := a2a.NewArtifactUpdateEvent(call, id, a2a.TextPart{Text: text})
	event.Append, event.LastChunk = !isFirst, isLast
	return event
}

func textOf(message *a2a.Message) string {
	var text strings.Builder
	for _, part := range message.Parts {
		if part, ok := part.(a2a.TextPart); ok {
			text.WriteString(part.Text)
		}
	}
	return text.String()
}

func pause(ctx context.Context, duration time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(duration):
	}
}
