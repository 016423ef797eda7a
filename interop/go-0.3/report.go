package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// report prints one line per check and counts.
type report struct {
	passed, failed int
}

// check runs one check within its time; it fails by returning an error or by panicking.
func (r *report) check(title string, run func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	if err := guarded(ctx, run); err != nil {
		r.failed++
		fmt.Printf("not ok  %s: %s\n", title, strings.ReplaceAll(err.Error(), "\n", " | "))
		return
	}
	r.passed++
	fmt.Printf("ok      %s\n", title)
}

func (r *report) close() int {
	fmt.Printf("%d passed, %d failed\n", r.passed, r.failed)
	if r.failed > 0 {
		return 1
	}
	return 0
}

func guarded(ctx context.Context, run func(context.Context) error) (err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("panic: %v", caught)
		}
	}()
	return run(ctx)
}

// equal is nil when both print alike.
func equal(got, want any) error {
	if g, w := fmt.Sprintf("%v", got), fmt.Sprintf("%v", want); g != w {
		return fmt.Errorf("got %s, want %s", g, w)
	}
	return nil
}

// refused is nil when err is of the SDK's type want.
func refused(err, want error) error {
	if err == nil {
		return fmt.Errorf("no error, want %v", want)
	}
	if !errors.Is(err, want) {
		return fmt.Errorf("got %w, want %v", err, want)
	}
	return nil
}
