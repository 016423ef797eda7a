package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

type delivery struct {
	headers http.Header
	body    []byte
}

// receiver is a webhook on a port of its own, which keeps what comes.
type receiver struct {
	server   *httptest.Server
	mutex    sync.Mutex
	received []delivery
}

func openReceiver() *receiver {
	r := &receiver{}
	r.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		r.mutex.Lock()
		defer r.mutex.Unlock()
		r.received = append(r.received, delivery{request.Header, body})
	}))
	return r
}

// told is what came, once it is enough.
func (r *receiver) told(ctx context.Context, isEnough func([]delivery) bool) ([]delivery, error) {
	for {
		r.mutex.Lock()
		received := append([]delivery{}, r.received...)
		r.mutex.Unlock()
		if isEnough(received) {
			return received, nil
		}
		select {
		case <-ctx.Done():
			return received, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}
