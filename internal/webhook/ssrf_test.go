package webhook_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/kit/db"
	"konak/internal/webhook"
)

// If no range is allowed, no form of an internal address can be registered, in either
// module or by a change; and one that was registered when its range was still allowed is
// refused when it is dialled.
func TestInternalAddressesAreRefused(t *testing.T) {
	t.Parallel()
	apptest.RunWith(t, func(cfg *app.Config) { cfg.WebhookAllow = nil }, func(t *testing.T, s *apptest.Server) {
		w := s.Workspace("demo")
		e := register(w, "https://example.com/", "dlp.exception.created")
		for address, code := range map[string]string{
			"https://127.0.0.1/":                     "inside_address",
			"https://0.0.0.0/":                       "inside_address",
			"https://10.1.2.3/":                      "inside_address",
			"https://100.64.0.1/":                    "inside_address",
			"https://169.254.169.254/latest/":        "inside_address",
			"https://172.16.0.1/":                    "inside_address",
			"https://192.168.1.1/":                   "inside_address",
			"https://198.18.0.1/":                    "inside_address",
			"https://203.0.113.9/":                   "inside_address",
			"https://224.0.0.1/":                     "inside_address",
			"https://240.0.0.1/":                     "inside_address",
			"https://[::1]/":                         "inside_address",
			"https://[::]/":                          "inside_address",
			"https://[fd00::1]/":                     "inside_address",
			"https://[fe80::1]/":                     "inside_address",
			"https://[ff02::1]/":                     "inside_address",
			"https://[::ffff:127.0.0.1]/":            "inside_address",
			"https://[::ffff:a9fe:a9fe]/":            "inside_address",
			"https://[::7f00:1]/":                    "inside_address",
			"https://[64:ff9b::7f00:1]/":             "inside_address",
			"https://[2002:7f00:1::]/":               "inside_address",
			"https://[2001:0:7f00:1::]/":             "inside_address",
			"https://localhost/":                     "inside_address",
			"https://Localhost.:8443/hook":           "inside_address",
			"https://metadata.localhost/":            "inside_address",
			"https://2130706433/":                    "invalid_address",
			"https://0x7f000001/":                    "invalid_address",
			"https://0x7f.0.0.1/":                    "invalid_address",
			"https://0177.0.0.1/":                    "invalid_address",
			"https://017700000001/":                  "invalid_address",
			"https://127.1/":                         "invalid_address",
			"https://127.0.0.1./":                    "invalid_address",
			"https://%31%32%37.0.0.1/":               "invalid_address",
			"https://[::1/":                          "invalid_address",
			"https://127.0.0.1:80@example.com/":      "credentials_in_address",
			"https://example.com@127.0.0.1/":         "credentials_in_address",
			"http://example.com/":                    "https_required",
			"http://127.0.0.1/":                      "inside_address",
			"gopher://127.0.0.1/":                    "https_required",
			"file:///etc/passwd":                     "invalid_address",
			"https:///hook":                          "invalid_address",
			"javascript:alert(1)":                    "invalid_address",
			"https://example.com:65536/":             "invalid_address",
			"https://example.com\n.evil.example.org": "invalid_address",
		} {
			want := map[string][]string{"address": {code}}
			in := map[string]any{"address": address, "events": []string{webhook.PingTest}}
			if diff := cmp.Diff(want, w.Owner.Post(hooks, in).Refused(422, "validation_failed").Fields); diff != "" {
				t.Errorf("%s: %s", address, diff)
			}
			w.Owner.Post(mailHooks, in).Refused(422, "validation_failed")
			w.Owner.Do("PATCH", hooks+"/"+e.ID.String(), map[string]any{"address": address}).Refused(422, "validation_failed")
		}
		rcv := newReceiver(t)
		if err := s.DB.Tenant(w.ID).InTx(t.Context(), func(tx *db.Tx) error {
			return tx.Exec(`UPDATE webhook_endpoint SET address = $3 WHERE tenant_id = $1 AND id = $2`, w.ID, e.ID, rcv.URL)
		}); err != nil {
			t.Fatal(err)
		}
		exempt(w, 1)
		s.Settle()
		w.Owner.Post(hooks+"/"+e.ID.String()+"/test", nil).Want(200)
		s.Settle()
		w.Owner.Post(hooks+"/events/"+deliveries(w, e.ID)[0].ID.String()+"/resend", nil).Want(200)
		s.Settle()
		list := deliveries(w, e.ID)
		for _, d := range list {
			if d.Status != webhook.Failed || *d.LastErrorClass != "refused_address" || d.LastStatusCode != nil || *d.LastError == "" {
				t.Errorf("got %+v", d)
			}
		}
		if n := len(rcv.take()); n != 0 || len(list) != 2 || list[0].Attempts != 2 {
			t.Errorf("%d requests got inside, history %+v", n, list)
		}
	})
}
