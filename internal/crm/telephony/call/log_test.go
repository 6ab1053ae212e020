package call_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/call"
)

// A filter by an invalid id is refused, and does not return every call.
func TestFilterByInvalidIDIsRefused(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.place(o.w.Owner, map[string]any{"to": customer})
		for _, sub := range []string{"/calls", "/calls/summary", "/calls/export"} {
			for _, field := range []string{"agent_id", "number_id", "contact_id"} {
				refused := o.w.Owner.Get(path+sub+"?"+field+"=zz").Refused(422, "validation_failed")
				if !slices.Equal(refused.Fields[field], []string{"invalid_id"}) {
					o.t.Errorf("%s by %s: %v", sub, field, refused.Fields)
				}
			}
		}
		for id, want := range map[string]int{"": 1, o.w.Member.String(): 1, uuid.NewString(): 0, uuid.Nil.String(): 0} {
			var list []call.Call
			if o.w.Owner.Get(path + "/calls?agent_id=" + id).Want(200).Data(&list); len(list) != want {
				o.t.Errorf("%d calls of %q, want %d", len(list), id, want)
			}
		}
	})
}
