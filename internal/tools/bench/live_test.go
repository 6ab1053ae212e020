package main

import (
	"bytes"
	"strings"
	"testing"

	"konak/internal/kit/db"
)

// startNode starts a node on SQLite, which is closed at the end of the test.
func startNode(t *testing.T) (*env, *node) {
	t.Helper()
	e := newEnv()
	t.Cleanup(func() {
		if err := e.close(); err != nil {
			t.Error(err)
		}
	})
	h, err := e.node(t.Context(), db.SQLite)
	if err != nil {
		t.Fatal(err)
	}
	return e, h
}

// A short run of what is measured at length: every event reaches every stream, and every
// search is answered.
func TestLive(t *testing.T) {
	t.Parallel()
	e, h := startNode(t)
	var out bytes.Buffer
	if err := h.streams(t.Context(), &out, h, 20, 20); err != nil {
		t.Fatal(err)
	}
	if f := strings.Fields(out.String()); f[5] != "400" || f[6] != "0" {
		t.Errorf("got %s", &out)
	}
	if err := h.searches(t.Context(), 1000, 80); err != nil {
		t.Fatal(err)
	}
	if err := h.repliesBesideSearch(t.Context(), e, 50); err != nil {
		t.Fatal(err)
	}
	if err := h.streamsBeside(t.Context(), []int{20}, 20); err != nil {
		t.Fatal(err)
	}
}

// A short run with language models: every message is accepted whatever its model does, a
// working model is asked, and there is a line for each channel.
func TestMessagesBesideModels(t *testing.T) {
	t.Parallel()
	e, h := startNode(t)
	var out bytes.Buffer
	if err := h.messagesBesideModels(t.Context(), e, &out, 1, 3); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 1+len(answeredChannels()) {
		t.Errorf("got %s", &out)
	}
}
