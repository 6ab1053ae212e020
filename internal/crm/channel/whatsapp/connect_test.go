package whatsapp_test

import (
	"strings"
	"testing"

	"konak/internal/crm/channel"
)

// The number is checked at the provider before anything is stored, and secrets are never
// shown.
func TestConnect(t *testing.T) {
	run(t, func(t *testing.T, sh *shop) {
		for field, change := range map[string]map[string]any{
			"access_token":        {"access_token": "EAAGwrong"},
			"phone_number_id":     {"phone_number_id": "1"},
			"business_account_id": {"business_account_id": "1"},
		} {
			if f := sh.connect(change).Refused(422, "validation_failed"); f.Fields[field] == nil {
				t.Errorf("a wrong %s: %v", field, f.Fields)
			}
		}
		if list := sh.accounts(); len(list) != 0 {
			t.Fatalf("a refused number was stored: %v", list)
		}
		// For another kind the answer lists what can be connected here, whatever the body
		// contains.
		full := map[string]any{"phone_number_id": "1", "business_account_id": "1", "access_token": "1", "app_secret": "1"}
		for _, kind := range []string{"pigeon", "custom", "widget", "email"} {
			for _, body := range []map[string]any{{}, full} {
				e := sh.Owner.Post(channels+"/connect/"+kind, body).Refused(404, "not_found")
				if e.Reason != "unknown_channel" || !strings.Contains(e.Message, "whatsapp, telegram, messenger or instagram") {
					t.Errorf("%s: %+v", kind, e)
				}
			}
		}

		resp := sh.connect(nil).Want(201)
		for _, hidden := range []string{token, appSecret} {
			if strings.Contains(string(resp.Body), hidden) {
				t.Errorf("%q is in the answer", hidden)
			}
		}
		resp.Data(&sh.Account)
		if sh.Account.Status != channel.Active || sh.Account.Kind != "whatsapp" || *sh.Account.ExternalID != numberID || !strings.Contains(string(sh.Account.Settings), "+90 212 123 45 67") {
			t.Errorf("the account is %+v", sh.Account)
		}
		// Connecting it again gives the same account with the new token.
		var again channel.Account
		sh.connect(map[string]any{"name": "Yeni ad"}).Want(201).Data(&again)
		if again.ID != sh.Account.ID || again.Name != "Yeni ad" || len(sh.accounts()) != 1 {
			t.Errorf("a second connection made %+v", again)
		}
	})
}

func (sh *shop) accounts() (out []channel.Account) {
	sh.T.Helper()
	sh.Owner.Get(channels + "?kind=whatsapp").Want(200).Data(&out)
	return out
}
