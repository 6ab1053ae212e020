package jobs

import (
	"context"
	"encoding/json"
	"errors"
)

// WithPayload returns a Handler that decodes the payload of a job for fn. A payload that
// cannot be decoded makes the job dead at once.
func WithPayload[P any](fn func(ctx context.Context, j *Job, payload P) error) Handler {
	return func(ctx context.Context, j *Job) error {
		var p P
		if err := json.Unmarshal(j.Payload, &p); err != nil {
			return errors.Join(ErrDrop, err)
		}
		return fn(ctx, j, p)
	}
}
