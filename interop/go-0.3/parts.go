package main

import (
	"context"
	"encoding/base64"
	"errors"

	"github.com/a2aproject/a2a-go/a2a"
)

// raw is no UTF-8, and has a plus and a slash in its base64.
var raw = base64.StdEncoding.EncodeToString([]byte{0x00, 0xff, 0xfe, 0x80, 0x0a, 0xfb, 0xff})

func partChecks(a agent, check checker) {
	check("SendMessage carries bytes and structured data", func(ctx context.Context) error {
		file, errFile := a.task(ctx, "file")
		data, errData := a.task(ctx, "data")
		if err := errors.Join(errFile, errData); err != nil {
			return err
		}
		// On gRPC this SDK takes the bytes of a file for the text of their base64.
		content := base64.StdEncoding.EncodeToString([]byte("tick\x00"))
		if a.binding == a2a.TransportProtocolGRPC {
			content = "tick\x00"
		}
		want := a2a.FilePart{File: a2a.FileBytes{FileMeta: a2a.FileMeta{Name: "tick.txt", MimeType: "text/plain"}, Bytes: content}}
		return errors.Join(
			equal(asJSON(file.Artifacts[0].Parts[0]), asJSON(want)),
			equal(data.Artifacts[0].Parts[0].(a2a.DataPart).Data, map[string]any{"key": "value", "count": 42, "nothing": nil, "list": []any{1, "two"}}),
		)
	})

	check("SendMessage keeps every part of a message as it came", func(ctx context.Context) error {
		parts := []a2a.Part{
			a2a.TextPart{Text: "see "},
			a2a.FilePart{File: a2a.FileBytes{FileMeta: a2a.FileMeta{Name: "raw.bin", MimeType: "application/octet-stream"}, Bytes: raw}},
			a2a.FilePart{File: a2a.FileURI{FileMeta: a2a.FileMeta{Name: "a.png", MimeType: "image/png"}, URI: "https://example.com/a?b=c"}},
			a2a.DataPart{Data: map[string]any{"nested": map[string]any{"empty": map[string]any{}, "none": nil, "n": 1.5, "text": "ü"}}},
		}
		task, err := a.task(ctx, "", withParts(parts...))
		if err != nil {
			return err
		}
		stored, err := a.get(ctx, task.ID, nil)
		if err != nil {
			return err
		}
		return equal(asJSON(stored.History[0].Parts), asJSON(parts))
	})
}
