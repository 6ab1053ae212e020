package telegram

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/secret"
)

// Name is the kind of these accounts.
const Name = "telegram"

// window is for how long after a customer's message a person's account can be
// written over. Bots have none.
const window = 24 * time.Hour

// Why an account needs attention, beside the reasons that all channels share.
const (
	// BusinessEnded: the person took the bot out of their account.
	BusinessEnded = "business_ended"
	// PollConflict: somebody else asks for the bot's news, or has its webhook.
	PollConflict = "poll_conflict"
)

// Settings of a bot, or of a person's account that it works in; none of it is a
// secret.
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

// connection is how messages name the business connection, "" for the bot.
func (s *Settings) connection() string {
	if s.Business == nil {
		return ""
	}
	return s.Business.ConnectionID
}

// credentials open a bot. They lie sealed beside the account.
type credentials struct {
	Token string `json:"token"`
}

func (c credentials) token() secret.Text { return secret.Of(c.Token) }

// NewBot is what a caller gives for a bot.
type NewBot struct {
	ID      uuid.UUID // the zero id for one of its own
	Name    string    // the bot's name where it is empty
	Token   string
	Mode    string // "" for what works here
	GroupID *uuid.UUID
	AI      bool
}

// messageID is how we call a message: a number counts in its chat only, and in a
// person's account chats are numbered as they are for the bot.
func messageID(connection string, chat, message int64) string {
	id := strconv.FormatInt(chat, 10) + "/" + strconv.FormatInt(message, 10)
	if connection != "" {
		id = connection + "/" + id
	}
	return id
}

// numberOf is the provider's number of a message that we call so.
func numberOf(id string) (int64, error) {
	n, err := strconv.ParseInt(id[strings.LastIndexByte(id, '/')+1:], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("telegram: %q names no message", id)
	}
	return n, nil
}
