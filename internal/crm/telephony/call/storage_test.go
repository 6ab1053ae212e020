package call_test

import (
	"strings"
	"testing"
	"time"

	"konak/internal/crm/telephony/call"
	"konak/internal/crm/telephony/setting"
	"konak/internal/exchange"
	"konak/internal/kit/api"
	"konak/internal/kit/blob"
	"konak/internal/kit/hours"
)

// Callers are told first that they are recorded, even if nobody set a greeting for it.
func TestRecordingNotice(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.settings(func(s *setting.Settings) { s.Recording.Mode = setting.RecordInbound })
		in := o.incoming(customer)
		if o.rings(o.username) {
			o.t.Error("the team rings before the caller has heard the notice")
		}
		o.hear(in)
		o.answer(o.legTo(o.username))
		o.wait(2 * time.Second)
		o.end(in, exchange.CauseNormal)
		if c := o.want(call.Ended, call.Answered); !c.Recorded {
			o.t.Errorf("it ended as %+v", c)
		}
	})
}

// Recordings count in the workspace's storage until they are deleted. If it is full, calls
// go on unrecorded and nobody can leave a message.
func TestRecordingsTakeStorage(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.settings(func(s *setting.Settings) {
			s.Recording = setting.Recording{Mode: setting.RecordInbound, RetentionDays: 1}
		})
		used := func() int64 {
			o.t.Helper()
			var use blob.Use
			o.w.Owner.Get("/api/v1/workspace/storage").Want(200).Data(&use)
			return use.Bytes
		}
		talk := func() call.Call {
			o.t.Helper()
			in := o.incoming(customer)
			o.answer(o.legTo(o.username))
			o.wait(5 * time.Second)
			o.end(in, exchange.CauseNormal)
			return o.want(call.Ended, call.Answered)
		}
		before := used()
		c := talk()
		size := 44 + 32*c.RecordingMS
		if got := used() - before; !c.Recorded || got != size {
			o.t.Errorf("a recording of %d ms takes %d bytes, want %d", c.RecordingMS, got, size)
		}
		full := before + size
		if err := o.Blobs.SetQuota(o.t.Context(), o.w.ID, &full); err != nil {
			o.t.Fatal(err)
		}
		if c := talk(); c.Recorded || used() != full {
			o.t.Errorf("with a full storage: %+v", c)
		}
		o.settings(func(s *setting.Settings) {
			s.Recording.RetentionDays = 1
			s.Hours = api.Some(hours.Hours{Timezone: "UTC", Spans: []hours.Span{}})
		})
		o.incoming(customer)
		if c := o.want(call.Ended, call.Missed); c.Recorded || c.Message.V != nil || !c.ToReturn || c.Cause != "storage_full" {
			o.t.Errorf("a message with a full storage: %+v", c)
		}
		if audit := string(o.w.Owner.Get("/api/v1/auth/audit?limit=50").Want(200).Body); strings.Count(audit, "recording.refused") != 2 {
			o.t.Errorf("the audit log is %s", audit)
		}
		o.Clock.Advance(25 * time.Hour)
		o.Settle()
		// The session has ended meanwhile.
		if got, err := o.Blobs.Use(o.t.Context(), o.w.ID); err != nil || got.Bytes != before {
			o.t.Errorf("with the recording deleted %d bytes are used, want %d (%v)", got.Bytes, before, err)
		}
	})
}
