package telegram

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/secret"
)

// Name is the kind of Telegram accounts.
const Name = "telegram"

// window is how long after a customer's message they can be answered through a person's
// account. Bots have no such limit.
const window = 24 * time.Hour

// Reasons why an account needs attention, in addition to those that all channels share.
const (
	// BusinessEnded means that the person removed the bot from their account.
	BusinessEnded = "business_ended"
	// PollConflict means that somebody else polls the bot, or has set its webhook.
	PollConflict = "poll_conflict"
)

// Settings are those of a bot, or of a person's account that it works in; they contain no
// secrets.
type Settings struct {
	BotID      int64     `json:"bot_id" example:"123456789"`
	Username   string    `json:"bot_username" example:"demo_destek_bot"`
	Mode       string    `json:"mode" enum:"webhook,polling" example:"webhook" doc:"webhook: Telegram calls Konak; polling: Konak asks Telegram"`
	Registered bool      `json:"webhook_registered" doc:"Whether Telegram calls Konak's address, as last reported by Telegram"`
	Business   *Business `json:"business,omitempty" doc:"Set for a person's account that the bot works in"`
}

// Business is a person's account that the bot works in.
type Business struct {
	ConnectionID string    `json:"connection_id"`
	PersonID     int64     `json:"person_id" example:"5551234567"`
	Username     string    `json:"username" example:"elifkaya"`
	CanReply     bool      `json:"can_reply" doc:"Whether the person lets the bot reply"`
	Ended        bool      `json:"ended,omitempty" doc:"Whether the person removed the bot from their account"`
	BotAccountID uuid.UUID `json:"bot_account_id" format:"uuid" doc:"Channel account of the bot itself"`
}

// connection returns the business connection that messages name, "" for the bot.
func (s *Settings) connection() string {
	if s.Business == nil {
		return ""
	}
	return s.Business.ConnectionID
}

// credentials open a bot. They are stored sealed, next to the account.
type credentials struct {
	Token string `json:"token"`
}

func (c credentials) token() secret.Text { return secret.Of(c.Token) }

// messageID returns our id of a message: a number is unique only within its chat, and chats
// of a person's account have the same numbers as those of the bot.
func messageID(connection string, chat, message int64) string {
	id := strconv.FormatInt(chat, 10) + "/" + strconv.FormatInt(message, 10)
	if connection != "" {
		id = connection + "/" + id
	}
	return id
}

// numberOf returns the provider's message number for our message id.
func numberOf(id string) (int64, error) {
	n, err := strconv.ParseInt(id[strings.LastIndexByte(id, '/')+1:], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("telegram: %q is not a message id", id)
	}
	return n, nil
}
