package telegram_test

import (
	"testing"

	"konak/internal/crm/channel"
)

// A code that a customer writes to the bot shows that messages arrive; if it does not come
// in time, the account needs attention.
func TestInboundTest(t *testing.T) {
	connected(t, func(t *testing.T, sh *shop) {
		at := channels + "/" + sh.Account.ID.String() + "/gelen-testi"
		read := func() (got channel.Trial) {
			t.Helper()
			sh.Owner.Get(at).Want(200).Data(&got)
			return got
		}
		if got := read(); got.State != channel.TrialNone || got.Number != "@demo_bot" || len(got.Warnings) != 0 {
			t.Errorf("before: %+v", got)
		}
		sh.Guest().Post(at, nil).Refused(403, "forbidden")
		stranger := sh.Another().Owner
		stranger.Get(at).Refused(404, "not_found")
		stranger.Post(at, nil).Refused(404, "not_found")
		var first, second channel.Trial
		sh.Owner.Post(at, nil).Want(200).Data(&first)
		sh.Owner.Post(at, nil).Want(200).Data(&second)
		sh.says("bakın " + *first.Code)
		if got := read(); got.State != channel.TrialWaiting {
			t.Errorf("after a code that no longer counts: %+v", got)
		}
		sh.says("kod: " + *second.Code + " geldi mi?")
		if got := read(); got.State != channel.TrialVerified || got.VerifiedAt == nil || got.Code != nil {
			t.Errorf("after the code: %+v", got)
		}
		sh.Owner.Post(at, nil).Want(200).Data(&first)
		sh.Later(channel.TrialFor)
		sh.Settle()
		if got := read(); got.State != channel.TrialExpired || len(got.Warnings) != 1 {
			t.Errorf("after its time: %+v", got)
		}
		if a := sh.ReadAccount(sh.Account.ID); a.Status != channel.Attention || *a.Reason != channel.InboundTestExpired {
			t.Errorf("the account is %+v", a)
		}
		sh.says(*first.Code)
		if got := read(); got.State != channel.TrialExpired {
			t.Errorf("a late code: %+v", got)
		}
		sh.Owner.Post(at, nil).Want(200).Data(&second)
		sh.says(*second.Code)
		if a := sh.ReadAccount(sh.Account.ID); a.Status != channel.Active || read().State != channel.TrialVerified {
			t.Errorf("after the next code: %+v", a)
		}
		sh.Owner.Do("PATCH", channels+"/"+sh.Account.ID.String()+"/status", map[string]any{"status": "paused"}).Want(200)
		if e := sh.Owner.Post(at, nil).Refused(409, "channel_unavailable"); e.Reason != "paused" || e.Message == "" {
			t.Errorf("while paused: %+v", e)
		}
	})
}
