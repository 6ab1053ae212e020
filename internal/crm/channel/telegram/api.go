package telegram

import (
	"context"
	"io"

	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/kit/api"
	"konak/internal/kit/perm"
)

type connectIn struct{ Body ConnectBody }

// ConnectBody is the input for connecting a bot.
type ConnectBody struct {
	ID      uuid.UUID  `json:"-"` // the zero id to create one
	Name    string     `json:"name,omitempty" maxLength:"100" example:"Telegram botu" doc:"Defaults to the bot's name"`
	Token   string     `json:"bot_token" minLength:"1" maxLength:"200" writeOnly:"true" example:"123456789:AAF…" doc:"Token from @BotFather; stored encrypted, never shown"`
	Mode    string     `json:"mode,omitempty" enum:"webhook,polling" doc:"webhook: Telegram calls Konak; polling: Konak asks Telegram. Defaults to webhook where Telegram can reach Konak"`
	GroupID *uuid.UUID `json:"group_id,omitempty" format:"uuid" doc:"Group that new conversations go to"`
	AI      bool       `json:"ai,omitempty" doc:"Whether the assistant is on"`
}

type businessIn struct {
	Body *struct {
		ChannelID *uuid.UUID `json:"channel_id,omitempty" format:"uuid" doc:"The bot; defaults to the workspace's oldest, otherwise the operator's"`
	} `required:"false"`
}

// Started is the answer to starting a business connection.
type Started struct {
	Link Link `json:"link"`
}

type hookIn struct {
	Bot     string `path:"bot" maxLength:"20" example:"123456789" doc:"Numeric id of the bot"`
	Address string `path:"address" maxLength:"40" example:"5f0c9a1b2c3d4e5f" doc:"Identifies the workspace; gives no access"`
	Secret  string `header:"X-Telegram-Bot-Api-Secret-Token" maxLength:"256" doc:"Secret that the webhook was registered with"`
}

// Register adds the routes.
func (s *Service) Register(a *api.API) {
	connect := channel.Route("POST", "/connect/telegram", "connect-telegram", "Connect a Telegram bot", perm.ChannelsManage)
	connect.Status, connect.Refusals = 201, []int{409, 502}
	connect.Doc = "Reads the bot from Telegram and gives Telegram the address to call. A bot that is already connected gets the new token; a disconnected one comes back with its conversations. If Telegram cannot reach Konak, Konak asks Telegram instead (mode polling)."
	api.Handle(a, connect, func(ctx context.Context, in *connectIn) (channel.Account, error) {
		return s.Connect(ctx, in.Body)
	})

	start := channel.Route("POST", "/chatbot/business/start", "start-chatbot-business", "Start linking a Telegram Business account", perm.ChannelsManage)
	start.Refusals = []int{404, 409}
	start.Doc = "The owner of the Telegram account opens the link, which ties them to the workspace, and then adds the bot in Telegram under Settings, Telegram Business, Chatbots. Their account becomes a channel of its own. The link is valid for 15 minutes and for one person. A workspace without a bot gets the operator's (--telegram-bot-token), if there is one and no other workspace uses it; otherwise 409 with the reason no_bot or bot_taken."
	api.Handle(a, start, func(ctx context.Context, in *businessIn) (Started, error) {
		var bot *uuid.UUID
		if in.Body != nil {
			bot = in.Body.ChannelID
		}
		link, err := s.StartBusiness(ctx, bot)
		return Started{link}, err
	})

	// The secret guards it, and a busy bot sends more updates than our callers' rate limit
	// allows.
	hook := api.Route{
		Method: "POST", Path: WebhookPath + "{bot}/{address}", ID: "telegram-webhook", Tag: "CRM channels", Access: api.Public,
		Summary: "Receive Telegram events", Refusals: []int{404, 409}, Limit: api.Unlimited, MaxBody: 1 << 20,
		Doc: "Called by Telegram, without a credential. A call without the secret of a connected bot gets the same 404 as an unknown bot. Calls for a paused bot are refused with 409, and Telegram sends them again later.",
	}
	api.HandleUpload(a, hook, func(ctx context.Context, in *hookIn, body *api.Upload) (api.Done, error) {
		text, err := io.ReadAll(body)
		if err != nil {
			return api.Done{}, err
		}
		return api.Done{Done: true}, s.Receive(ctx, api.ClientIP(ctx), in.Bot, in.Secret, text)
	})
}
