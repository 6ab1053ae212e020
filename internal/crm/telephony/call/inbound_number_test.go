package call_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/telephony/call"
	"konak/internal/crm/telephony/setting"
	"konak/internal/exchange"
	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/hours"
)

// leaveMessage lets a caller whom nobody answers leave a message.
func (o *office) leaveMessage(in uuid.UUID) call.Call {
	o.t.Helper()
	o.want(call.Voicemail, "")
	o.hear(in) // the greeting
	o.hear(in) // the beep
	o.wait(10 * time.Second)
	o.end(in, exchange.CauseNormal)
	return o.want(call.Ended, call.LeftMail)
}

// A call to a bought number comes to the workspace that has it, rings its team, and
// costs nothing.
func TestCallToBoughtNumber(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		id := o.buyNumber()
		var trunk uuid.UUID
		for _, dialled := range []string{"+902125550199", "902125550199", "00902125550199"} {
			tenant, found, err := o.Calls.FindNumber(o.t.Context(), dialled)
			if err != nil || tenant != o.w.ID {
				o.t.Errorf("%s is %s's, %v", dialled, tenant, err)
			}
			trunk = found
		}
		for _, dialled := range []string{"+902125550198", "x"} {
			if _, _, err := o.Calls.FindNumber(o.t.Context(), dialled); !errors.Is(err, exchange.ErrUnknown) {
				o.t.Errorf("%s: %v", dialled, err)
			}
		}
		o.x.Call(o.w.ID, "", trunk, customer, "902125550199")
		o.answer(o.legTo(o.username))
		c := o.want(call.Active, "")
		if c.Via != call.ViaNumber || c.NumberID == nil || *c.NumberID != id || c.To != "+902125550199" || c.From != customer {
			o.t.Errorf("the call is %+v", c)
		}
		o.wantWallet(0, 0)
		o.giveBack(id)
		if _, _, err := o.Calls.FindNumber(o.t.Context(), "+902125550199"); !errors.Is(err, exchange.ErrUnknown) {
			o.t.Errorf("a number that was given back: %v", err)
		}
	})
}

// giveBack releases a number without a provider.
func (o *office) giveBack(id uuid.UUID) {
	o.t.Helper()
	err := o.DB.Tenant(o.w.ID).InTx(o.t.Context(), func(tx *db.Tx) error {
		return tx.Exec(`UPDATE phone_number SET status = 'released', is_default = $3 WHERE tenant_id = $1 AND id = $2`, o.w.ID, id, false)
	})
	if err != nil {
		o.t.Fatal(err)
	}
}

// A caller who presses a key to ask for a callback hears a confirmation; the call waits to
// be returned.
func TestCallbackRequest(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.settings(func(s *setting.Settings) {
			s.Menus = []setting.Menu{{Key: "main", Text: "2", Voice: "tr", Keys: []setting.MenuKey{{Digit: "2", Action: setting.KeyCallback}}}}
		})
		in := o.incoming(customer)
		o.press(in, "2")
		o.hear(in)
		o.end(in, exchange.CauseNormal)
		if c := o.want(call.Ended, call.Missed); !c.Callback || !c.ToReturn {
			o.t.Errorf("it ended as %+v", c)
		}
		if !slices.Contains(o.w.Events(), "call.missed") {
			o.t.Error("call.missed was not told")
		}
		// A caller with a hidden number cannot be called back.
		in = o.incoming("anonymous")
		o.press(in, "2")
		if c := o.leaveMessage(in); c.Callback || c.ToReturn {
			o.t.Errorf("it ended as %+v", c)
		}
	})
}

// The notice of a message says who left it, in both languages.
func TestMessageNotice(t *testing.T) {
	t.Parallel()
	for language, want := range map[string]string{"tr": "gizli bir numara", "en": "a withheld number"} {
		subject, body := call.MessageNotice{Length: 61 * time.Second}.Text(language)
		if !strings.Contains(subject, want) || !strings.Contains(body[0], "1:01") {
			t.Errorf("%s: %q, %q", language, subject, body)
		}
	}
}

// A caller who hangs up right after the beep leaves no message, whichever end is reported
// first.
func TestShortMessage(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.settings(func(s *setting.Settings) { s.Hours = api.Some(hours.Hours{Timezone: "UTC", Spans: []hours.Span{}}) })
		o.x.SetRecorded(0.4)
		in := o.incoming(customer)
		o.hear(in)
		o.hear(in)
		o.end(in, exchange.CauseNormal)
		c := o.want(call.Ended, call.Missed)
		if c.Message.V != nil || c.Recorded || !c.ToReturn || slices.Contains(o.w.Events(), "voicemail.received") {
			o.t.Errorf("it ended as %+v", c)
		}
	})
}

// fullMail refuses every mail, as when the workspace's mail quota is used up.
type fullMail struct{}

// TellMessage implements call.Mail.
func (fullMail) TellMessage(*db.Tx, call.MessageNotice) error {
	return fault.New(fault.SendingQuotaReached, 10)
}

// A message is kept even if nobody can be notified of it.
func TestVoicemailIsKeptWithoutMail(t *testing.T) {
	t.Parallel()
	run(t, func(o *office) {
		o.Calls.Mail = fullMail{}
		o.settings(func(s *setting.Settings) {
			s.Hours, s.Voicemail.Email = api.Some(hours.Hours{Timezone: "UTC", Spans: []hours.Span{}}), "santral@demo.example"
		})
		if c := o.leaveMessage(o.incoming(customer)); !c.Recorded {
			o.t.Errorf("it ended as %+v", c)
		}
	})
}
