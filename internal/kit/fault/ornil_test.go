package fault_test

import (
	"testing"

	"konak/internal/kit/fault"
)

// A check that found nothing returns no error, and not a nil fault in an error either.
func TestOrNil(t *testing.T) {
	t.Parallel()
	f := fault.New(fault.ValidationFailed)
	if err := f.OrNil(); err != nil {
		t.Errorf("got %v without fields", err)
	}
	if err := f.Field("name", "required").OrNil(); err == nil {
		t.Error("got nil with a field")
	}
}
