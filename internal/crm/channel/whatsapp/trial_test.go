package whatsapp_test

import (
	"slices"
	"testing"
	"time"

	"konak/internal/crm/channel"
)

func TestInboundTest(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		at := channels + "/" + sh.Account.ID.String() + "/gelen-testi"
		var got channel.Trial
		read := func() channel.Trial {
			t.Helper()
			got = channel.Trial{}
			sh.Owner.Get(at).Want(200).Data(&got)
			return got
		}
		begin := func() string {
			t.Helper()
			got = channel.Trial{}
			sh.Owner.Post(at, nil).Want(200).Data(&got)
			return *got.Code
		}
		if read(); got.State != channel.TrialNone || got.Number != "+90 212 123 45 67" {
			t.Errorf("before: %+v", got)
		}
		old := begin()
		code := begin()
		for code == old { // once in a million
			code = begin()
		}
		sh.says(old)
		if read(); got.State != channel.TrialWaiting {
			t.Errorf("after the old code: %+v", got)
		}
		before := len(sh.Inbox())
		sh.says("kod: " + code)
		if read(); got.State != channel.TrialVerified || got.Code != nil || got.VerifiedAt == nil {
			t.Errorf("after the code: %+v", got)
		}
		if len(sh.Inbox()) != before {
			t.Error("the code began a conversation")
		}
		verified := *got.VerifiedAt
		// If the code does not come in time the account needs attention, until a code
		// comes. The number stays verified.
		code = begin()
		sh.Server.Clock.Advance(15 * time.Minute)
		sh.Settle()
		if read(); got.VerifiedAt == nil || !got.VerifiedAt.Equal(verified.Time) {
			t.Errorf("a code that did not come leaves %+v", got)
		}
		if got.State != channel.TrialExpired || !slices.Equal(got.Warnings, []string{channel.InboundTestExpired}) {
			t.Errorf("too late: %+v", got)
		}
		sh.says(code)
		if a := sh.ReadAccount(sh.Account.ID); a.Status != channel.Attention || *a.Reason != channel.InboundTestExpired || got.State != channel.TrialExpired {
			t.Errorf("the account is %+v", a)
		}
		sh.says(begin())
		if a := sh.ReadAccount(sh.Account.ID); a.Status != channel.Active || read().State != channel.TrialVerified {
			t.Errorf("the account is %+v", a)
		}
		sh.Owner.Do("PATCH", channels+"/"+sh.Account.ID.String()+"/status", map[string]any{"status": "paused"}).Want(200)
		sh.Owner.Post(at, nil).Refused(409, "channel_unavailable")
	})
}
