package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// command is the SDK's own command line.
type command struct {
	path, url string
	card      *a2a.AgentCard
}

// on names the binding's address and the flags that choose it: with --transport the CLI takes no card.
func (c command) on(transport string) (url string, flags []string) {
	bindings := map[string]a2a.TransportProtocol{"jsonrpc": a2a.TransportProtocolJSONRPC, "rest": a2a.TransportProtocolHTTPJSON, "grpc": a2a.TransportProtocolGRPC}
	for _, served := range c.card.SupportedInterfaces {
		if served.ProtocolBinding == bindings[transport] && served.ProtocolVersion == "1.0" {
			return served.URL, []string{"--transport", transport, "--insecure", "--timeout", "10s"}
		}
	}
	return c.url, []string{"--transport", transport}
}

func (c command) run(ctx context.Context, args ...string) (string, error) {
	var out, errs bytes.Buffer
	process := exec.CommandContext(ctx, c.path, args...)
	process.Stdout, process.Stderr = &out, &errs
	if err := process.Run(); err != nil {
		return out.String(), fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(errs.String()))
	}
	return out.String(), nil
}

func cliChecks(c command, check func(string, func(context.Context) error)) {
	check("cli discover", func(ctx context.Context) error {
		out, err := c.run(ctx, "discover", c.url)
		return errors.Join(err, contains(out, "Interop"))
	})
	check("cli discover --extended", func(ctx context.Context) error {
		out, err := c.run(ctx, "discover", c.url, "--extended", "--insecure")
		return errors.Join(err, contains(out, "Seen by those who ask for more"))
	})
	for _, transport := range []string{"jsonrpc", "rest", "grpc"} {
		url, flags := c.on(transport)
		run := func(ctx context.Context, args ...string) (string, error) {
			return c.run(ctx, append(args, flags...)...)
		}
		named := func(title string) string { return fmt.Sprintf("cli %s %s", transport, title) }
		sent := func(ctx context.Context, text string, more ...string) (a2a.Task, error) {
			var task a2a.Task
			out, err := run(ctx, append([]string{"send", url, text, "-o", "json"}, more...)...)
			if err == nil {
				err = json.Unmarshal([]byte(out), &task)
			}
			return task, err
		}

		check(named("send"), func(ctx context.Context) error {
			out, err := run(ctx, "send", url, "hello")
			return errors.Join(err, equal(out, "[agent] hello back\n"))
		})
		check(named("send --stream"), func(ctx context.Context) error {
			out, err := run(ctx, "send", url, "chunks", "--stream")
			return errors.Join(err, contains(out, "[artifact] one \n[artifact+] two \n[artifact+] three\n[status] completed\n"))
		})
		check(named("send --task"), func(ctx context.Context) error {
			asked, err := sent(ctx, "ask")
			if err != nil {
				return err
			}
			done, err := sent(ctx, "answer Wien", "--task", string(asked.ID))
			return errors.Join(err, equal([]any{done.ID, done.Status.State}, []any{asked.ID, a2a.TaskStateCompleted}))
		})
		check(named("get task"), func(ctx context.Context) error {
			task, err := sent(ctx, "some text")
			if err != nil {
				return err
			}
			out, err := run(ctx, "get", "task", url, string(task.ID), "--history", "1")
			return errors.Join(err, contains(out, "Status:   completed"), contains(out, "[user] some text"))
		})
		check(named("list tasks"), func(ctx context.Context) error {
			contextID := a2a.NewContextID()
			task, err := sent(ctx, "listed", "--context", contextID)
			if err != nil {
				return err
			}
			out, err := run(ctx, "list", "tasks", url, "--context", contextID, "--status", "completed", "--limit", "10")
			return errors.Join(err, contains(out, string(task.ID)))
		})
		check(named("send --immediate, subscribe, cancel"), func(ctx context.Context) error {
			ticks, err := sent(ctx, "ticks", "--immediate")
			if err != nil {
				return err
			}
			out, err := run(ctx, "subscribe", url, string(ticks.ID))
			if err := errors.Join(err, contains(out, "[status] completed")); err != nil {
				return err
			}
			slow, err := sent(ctx, "slow", "--immediate")
			if err != nil {
				return err
			}
			out, err = run(ctx, "cancel", url, string(slow.ID))
			return errors.Join(err, contains(out, "Status:   canceled"))
		})
		check(named("says what is wrong and exits with an error"), func(ctx context.Context) error {
			_, err := run(ctx, "get", "task", url, "no-such-task")
			if err == nil {
				return errors.New("exit status 0")
			}
			return contains(err.Error(), "no-such-task")
		})
	}
}

func contains(text, part string) error {
	if !strings.Contains(text, part) {
		return fmt.Errorf("%q is not in %q", part, text)
	}
	return nil
}
