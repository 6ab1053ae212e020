package telegram_test

import (
	"testing"

	"konak/internal/app"
	"konak/internal/app/apptest"
	"konak/internal/crm/channel"
	"konak/internal/crm/channel/telegram"
	"konak/internal/kit/clock"
	wire "konak/internal/provider/telegram"
	sandbox "konak/internal/sandbox/telegram"
)

// A reaction or a deletion that overtakes its message waits for it.
func TestChangesBeforeTheirMessage(t *testing.T) {
	business(t, func(t *testing.T, sh *shop, _ channel.Account) {
		sh.Box.Delete(botID, "conn1", elif, 9001)
		sh.Settle()
		sh.Box.Write(botID, elif, wire.Message{MessageID: 9001, Text: "Yanlış", BusinessConnectionID: "conn1"})
		sh.Box.Write(botID, elif, wire.Message{MessageID: 9002, Text: "Doğru", BusinessConnectionID: "conn1"})
		sh.Settle()
		if got := sh.Items(sh.Only().ID); len(got) != 1 || got[0].Body != "Doğru" {
			t.Errorf("the items are %+v", got)
		}
		sh.Box.React(botID, elif, 9003, "👍")
		sh.Settle()
		sh.Box.Write(botID, elif, wire.Message{MessageID: 9003, Text: "Bota"})
		sh.Settle()
		for _, c := range sh.Inbox() {
			if got := sh.Items(c.ID)[0]; got.Body == "Bota" && (len(got.Reactions) != 1 || got.Reactions[0].Emoji != "👍") {
				t.Errorf("the reactions are %+v", got.Reactions)
			}
		}
	})
}

// A workspace without a bot links a person's account with the operator's bot, unless
// another workspace has it.
func TestOperatorBot(t *testing.T) {
	apptest.RunShop(t, func(address string, cfg *app.Config, c clock.Source) *sandbox.Server {
		cfg.TelegramAddress, cfg.TelegramBotToken = address, token
		box := sandbox.New(c)
		box.Add(sandbox.Bot{ID: botID, Name: "Demo A.Ş.", Username: "demo_bot", Token: token})
		return box
	}, func(s *apptest.Shop[*sandbox.Server]) {
		sh, start := &shop{s}, channels+"/chatbot/business/start"
		var started telegram.Started
		sh.Owner.Post(start, nil).Want(200).Data(&started)
		if started.Link.BotUsername != "demo_bot" {
			sh.T.Errorf("the link is %+v", started.Link)
		}
		if e := sh.Another().Owner.Post(start, nil).Refused(409, "channel_unavailable"); e.Reason != "bot_taken" {
			sh.T.Errorf("another workspace: %+v", e)
		}
	})
}
