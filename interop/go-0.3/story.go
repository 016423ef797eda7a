package main

import (
	"fmt"

	"github.com/a2aproject/a2a-go/a2a"
)

// kinds names each event of a stream.
func kinds(events []a2a.Event) []string {
	names := []string{}
	for _, event := range events {
		switch event.(type) {
		case *a2a.Task:
			names = append(names, "task")
		case *a2a.Message:
			names = append(names, "message")
		case *a2a.TaskStatusUpdateEvent:
			names = append(names, "status")
		case *a2a.TaskArtifactUpdateEvent:
			names = append(names, "artifact")
		}
	}
	return names
}

// story is the states that a stream went through, and its artifacts as a reader puts them together.
func story(events []a2a.Event) (states []a2a.TaskState, text string) {
	artifacts := map[a2a.ArtifactID]string{}
	for _, event := range events {
		switch e := event.(type) {
		case *a2a.Task:
			states = append(states, e.Status.State)
			for _, artifact := range e.Artifacts {
				artifacts[artifact.ID] = textOf(artifact.Parts)
			}
		case *a2a.TaskStatusUpdateEvent:
			states = append(states, e.Status.State)
		case *a2a.TaskArtifactUpdateEvent:
			before := ""
			if e.Append {
				before = artifacts[e.Artifact.ID]
			}
			artifacts[e.Artifact.ID] = before + textOf(e.Artifact.Parts)
		}
	}
	for _, artifact := range artifacts {
		text += artifact
	}
	return states, text
}

// ends is nil when a stream ended in a state with that text, and its last event alone says that it is the last; a task
// that comes finished cannot say so.
func ends(events []a2a.Event, state a2a.TaskState, text string) error {
	states, got := story(events)
	if len(states) == 0 {
		return fmt.Errorf("no state in %d events", len(events))
	}
	for i, event := range events {
		update, ok := event.(*a2a.TaskStatusUpdateEvent)
		last := i == len(events)-1
		if final := ok && update.Final; final != (last && (ok || i > 0)) {
			return fmt.Errorf("event %d of %d: final is %v", i+1, len(events), final)
		}
	}
	return equal([]any{states[len(states)-1], got}, []any{state, text})
}
