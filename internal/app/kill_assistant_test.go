package app_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/sandbox/openai"
	"konak/internal/sandbox/telegram"
)

// modelKills is the number of language model calls in which the server is killed.
var modelKills = stormOr(2, 10)

// A server that is killed while its language model writes answers the customer once after
// the restart, and the possible use of the killed call stays counted.
func TestKillModel(t *testing.T) {
	t.Parallel()
	onBoth(t, sharedPostgres, func(k *trial) {
		box := telegram.New(clock.System{})
		k.t.Cleanup(box.Close)
		box.Add(telegram.Bot{ID: 42, Name: "Demo", Username: "kill_bot", Token: "42:kill"})
		bots := httptest.NewServer(box)
		k.t.Cleanup(bots.Close)
		model := openai.New()
		models := httptest.NewServer(model)
		k.t.Cleanup(models.Close)
		k.args = append(k.args, "--telegram-address="+bots.URL)

		p := k.start()
		k.signIn(p)
		d := k.open()
		call := func(method, path string, body any, status int) uuid.UUID {
			k.t.Helper()
			a, err := newClient(p.url, k.token).send(k.ctx, method, path, "", body)
			k.must(err)
			if a.Status != status {
				k.t.Fatalf("%s %s: %+v", method, path, a)
			}
			id, err := uuid.Parse(a.Data.ID)
			k.must(err)
			return id
		}
		account := call("POST", "/api/crm/v1/channels/connect/telegram", map[string]any{"bot_token": "42:kill", "mode": "polling"}, http.StatusCreated)
		configuration := call("POST", "/api/crm/v1/assistant/configurations", map[string]any{
			"name": "Model", "delay_s": 0, "max_answers": 20, "model": map[string]any{"address": models.URL + "/v1", "model": "sandbox", "daily_tokens": 200_000},
		}, http.StatusCreated)
		call("PATCH", "/api/crm/v1/channels/"+account.String()+"/ai", map[string]any{"enabled": true, "configuration_id": configuration}, http.StatusOK)

		for round := range modelKills {
			ended := make(chan error, 1)
			kill := p.kill
			model.OnAsked(func() { ended <- kill() })
			box.Say(42, telegram.Person{ID: int64(4711 + round), Name: "Elif"}, "Ürünü nasıl iade edebilirim?")
			select {
			case err := <-ended:
				k.must(err)
			case <-k.ctx.Done():
				k.t.Fatal("the language model was not asked")
			}
			left := model.Tokens()
			p = k.start()
			answered := func() int {
				return one[int](k, d, `SELECT count(*) FROM conversation_item WHERE channel_account_id = $1 AND author_kind = 'bot' AND delivery = 'sent'`, account)
			}
			k.until("the answer", func() bool { return answered() == round+1 })
			// The reservation of the killed call is more than the server counted for it.
			if spent := one[int64](k, d, `SELECT tokens FROM assistant_spending WHERE configuration_id = $1`, configuration); spent <= model.Tokens()-left || spent > 200_000 {
				k.t.Errorf("%d tokens are counted, the server counted %d", spent, model.Tokens())
			}
		}
		k.must(p.stop())
		if n := one[int](k, d, `SELECT count(*) FROM conversation_item WHERE channel_account_id = $1 AND author_kind = 'bot' AND kind = 'message'`, account); n != modelKills {
			k.t.Errorf("%d answers to %d customers", n, modelKills)
		}
	})
}
