package jobs_test

import (
	"context"
	"errors"
	"testing"

	"konak/internal/kit/jobs"
)

// A handler gets its payload decoded; a job whose payload is damaged is not tried again.
func TestWithPayload(t *testing.T) {
	t.Parallel()
	type payload struct{ Name string }
	var got []string
	handle := jobs.WithPayload(func(_ context.Context, _ *jobs.Job, p payload) error {
		got = append(got, p.Name)
		return nil
	})
	if err := handle(t.Context(), &jobs.Job{Payload: []byte(`{"Name":"a"}`)}); err != nil {
		t.Error(err)
	}
	if err := handle(t.Context(), &jobs.Job{Payload: []byte(`{"Name":`)}); !errors.Is(err, jobs.ErrDrop) {
		t.Errorf("got %v of a damaged payload", err)
	}
	if len(got) != 1 || got[0] != "a" {
		t.Errorf("handled %q", got)
	}
}
