package telegram

import (
	"context"
	"io"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type connectIn struct {
	Body struct {
		Name    string     `json:"name,omitempty" maxLength:"100" example:"Telegram botu" doc:"The bot's own name where it is left out"`
		Token   string     `json:"bot_token" minLength:"1" maxLength:"200" writeOnly:"true" example:"123456789:AAF…" doc:"From @BotFather; stored sealed, never shown"`
		Mode    string     `json:"mode,omitempty" enum:"webhook,polling" doc:"Whether Telegram calls us, or we ask it. Left out: it calls where it can reach us"`
		GroupID *uuid.UUID `json:"group_id,omitempty" format:"uuid" doc:"The group that gets what comes in"`
		AI      bool       `json:"ai,omitempty" doc:"Whether the assistant answers"`
	}
}

type businessIn struct {
	Body *struct {
		ChannelID *uuid.UUID `json:"channel_id,omitempty" format:"uuid" doc:"The bot; the workspace's oldest, or else the operator's, where it is left out"`
	} `required:"false"`
}

// Started is the answer to a business start.
type Started struct {
	Link Link `json:"link"`
}

type hookIn struct {
	Bot     string `path:"bot" maxLength:"20" example:"123456789" doc:"The bot's number"`
	Address string `path:"address" maxLength:"40" example:"5f0c9a1b2c3d4e5f" doc:"Tells workspaces apart; grants nothing"`
	Secret  string `header:"X-Telegram-Bot-Api-Secret-Token" maxLength:"256" doc:"The secret that the webhook was registered with"`
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	connect := channel.Route("POST", "/connect/telegram", "connect-telegram", "Connect a Telegram bot", perm.ChannelsManage)
	connect.Status, connect.Refusals = 201, []int{409, 502}
	connect.Doc = "Telegram is asked for the bot first, and told where to call. A bot that is connected already gets the new token; one that the workspace disconnected comes back, with its conversations. Where Telegram cannot reach us we ask it instead (mode polling)."
	api.Handle(a, connect, func(ctx context.Context, in *connectIn) (channel.Account, error) {
		b := in.Body
		return s.Connect(ctx, NewBot{Name: b.Name, Token: b.Token, Mode: b.Mode, GroupID: b.GroupID, AI: b.AI})
	})

	start := channel.Route("POST", "/chatbot/business/start", "start-chatbot-business", "Start linking the company's chat-bot account", perm.ChannelsManage)
	start.Refusals = []int{404, 409}
	start.Doc = "The person whose Telegram account it is opens the link, which ties them to the workspace, and then adds the bot in Telegram under Settings, Telegram Business, Chatbots. Their account then is a channel of its own. The link counts for 15 minutes and for one person. A workspace without a bot gets the operator's (--telegram-bot-token), where there is one and no other workspace has it; else 409 with the reason no_bot or bot_taken."
	api.Handle(a, start, func(ctx context.Context, in *businessIn) (Started, error) {
		var bot *uuid.UUID
		if in.Body != nil {
			bot = in.Body.ChannelID
		}
		link, err := s.StartBusiness(ctx, bot)
		return Started{link}, err
	})

	// The secret guards it, and a busy bot has more to tell than a caller of ours
	// may.
	hook := api.Route{
		Method: "POST", Path: WebhookPath + "{bot}/{address}", ID: "telegram-webhook", Tag: "CRM channels", Access: api.Public,
		Summary: "Telegram tells what happened", Refusals: []int{404, 409}, Limit: api.Unlimited, MaxBody: 1 << 20,
		Doc: "Called by Telegram, without a credential. A call without the secret of a connected bot looks like a bot that nobody has: 404. Calls for a paused bot are refused with 409, and Telegram brings them again later.",
	}
	api.HandleUpload(a, hook, func(ctx context.Context, in *hookIn, body *api.Upload) (api.Done, error) {
		text, err := io.ReadAll(body)
		if err != nil {
			return api.Done{}, err
		}
		return api.Done{Done: true}, s.Receive(ctx, api.ClientIP(ctx), in.Bot, in.Secret, text)
	})
}
