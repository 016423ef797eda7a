package main

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// executor answers each text in its own way, as all agents of this folder do.
type executor struct {
	mutex sync.Mutex
	// Of tasks under way: the text that they were begun with.
	slow     map[a2a.TaskID]string
	canceled map[string]bool
}

func (e *executor) Execute(ctx context.Context, call *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		tell := func(event a2a.Event) bool { return ctx.Err() == nil && yield(event, nil) }
		said := func(text string) *a2a.Message {
			return a2a.NewMessageForTask(a2a.MessageRoleAgent, call, a2a.NewTextPart(text))
		}
		status := func(state a2a.TaskState, message *a2a.Message) bool {
			return tell(a2a.NewStatusUpdateEvent(call, state, message))
		}
		word, rest, _ := strings.Cut(textOf(call.Message), " ")
		switch word {
		case "hello":
			tell(a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart("hello back")))
			return
		case "canceled?":
			tell(a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart(e.answer(rest))))
			return
		}
		if call.StoredTask == nil && !tell(a2a.NewSubmittedTask(call, call.Message)) {
			return
		}
		if word == "ask" {
			status(a2a.TaskStateInputRequired, said("which city?"))
			return
		}
		if !status(a2a.TaskStateWorking, nil) {
			return
		}
		switch word {
		case "fail":
			status(a2a.TaskStateFailed, said("broken on purpose"))
			return
		case "slow":
			e.begin(call.TaskID, rest)
			pause(ctx, 30*time.Second)
		case "ticks":
			pause(ctx, 300*time.Millisecond)
			for tick := 1; tick <= 5; tick++ {
				if !tell(chunk(call, "ticks", fmt.Sprint(tick), tick == 1, tick == 5)) {
					return
				}
				pause(ctx, 100*time.Millisecond)
			}
		case "chunks":
			for index, text := range []string{"one ", "two ", "three"} {
				if !tell(chunk(call, "story", text, index == 0, index == 2)) {
					return
				}
			}
		case "answer":
			tell(chunk(call, "answer", rest, true, true))
		default:
			event := chunk(call, "echo", "", true, true)
			event.Artifact.Parts = call.Message.Parts
			tell(event)
		}
		status(a2a.TaskStateCompleted, nil)
	}
}

func (e *executor) Cancel(_ context.Context, call *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		e.mutex.Lock()
		e.canceled[e.slow[call.TaskID]] = true
		e.mutex.Unlock()
		yield(a2a.NewStatusUpdateEvent(call, a2a.TaskStateCanceled, nil), nil)
	}
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

func chunk(call *a2asrv.ExecutorContext, id a2a.ArtifactID, text string, isFirst, isLast bool) *a2a.TaskArtifactUpdateEvent {
	event := a2a.NewArtifactUpdateEvent(call, id, a2a.NewTextPart(text))
	event.Append, event.LastChunk = !isFirst, isLast
	return event
}

func textOf(message *a2a.Message) string {
	var text strings.Builder
	for _, part := range message.Parts {
		text.WriteString(part.Text())
	}
	return text.String()
}

func pause(ctx context.Context, duration time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(duration):
	}
}
