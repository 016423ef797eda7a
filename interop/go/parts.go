package main

import (
	"context"
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
)

func partChecks(a agent, check checker) {
	check("SendMessage keeps every part of a message as it came", func(ctx context.Context) error {
		// No UTF-8, and with a plus and a slash in its base64.
		raw := a2a.NewRawPart([]byte{0x00, 0xff, 0xfe, 0x80, 0x0a, 0xfb, 0xff})
		raw.MediaType, raw.Filename = "application/octet-stream", "raw.bin"
		picture := a2a.NewFileURLPart("https://example.com/a?b=c", "image/png")
		picture.Filename = "a.png"
		parts := []*a2a.Part{
			a2a.NewTextPart("see "),
			raw,
			picture,
			a2a.NewDataPart(map[string]any{"nested": map[string]any{"empty": map[string]any{}, "none": nil, "n": 1.5, "text": "ü"}}),
		}
		// On gRPC of 1.0 this SDK sends no data but objects.
		if a.binding != a2a.TransportProtocolGRPC || a.version == a2av0.Version {
			parts = append(parts, a2a.NewDataPart([]any{1.0, "two", map[string]any{"three": true}}))
		}
		task, err := a.task(ctx, "", withParts(parts...))
		if err != nil {
			return err
		}
		stored, err := a.get(ctx, task.ID, nil)
		if err != nil {
			return err
		}
		return equal(shown(stored.History[0].Parts), shown(parts))
	})
}

// shown leaves out metadata: whether none is nil or empty differs from binding to binding.
func shown(parts a2a.ContentParts) []string {
	texts := []string{}
	for _, part := range parts {
		texts = append(texts, fmt.Sprintf("%T %v %q %q", part.Content, part.Content, part.MediaType, part.Filename))
	}
	return texts
}
