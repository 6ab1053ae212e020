package telegram

import "encoding/json"

// Host is the address of Telegram's own Bot API server.
const Host = "https://api.telegram.org"

// SecretHeader is the header with the token with which a webhook was registered.
const SecretHeader = "X-Telegram-Bot-Api-Secret-Token"

// AllowedUpdates are the kinds of updates that our bots ask for. Reactions and deletions
// are sent only to bots that name them.
var AllowedUpdates = []string{
	"message", "edited_message", "message_reaction", "callback_query",
	"business_connection", "business_message", "edited_business_message", "deleted_business_messages",
}

// Answer is the envelope of every answer.
type Answer struct {
	OK          bool            `json:"ok"`
	Result      json.RawMessage `json:"result,omitempty"`
	ErrorCode   int             `json:"error_code,omitempty"`
	Description string          `json:"description,omitempty"`
	Parameters  *Parameters     `json:"parameters,omitempty"`
}

// Parameters describe how to proceed after a refusal.
type Parameters struct {
	RetryAfter int `json:"retry_after,omitempty"`
}

// User is a person or a bot.
type User struct {
	ID           int64  `json:"id"`
	IsBot        bool   `json:"is_bot"`
	FirstName    string `json:"first_name"`
	LastName     string `json:"last_name,omitempty"`
	Username     string `json:"username,omitempty"`
	LanguageCode string `json:"language_code,omitempty"`
}

// Chat is the chat of a message.
type Chat struct {
	ID        int64  `json:"id"`
	Type      string `json:"type"`
	FirstName string `json:"first_name,omitempty"`
	LastName  string `json:"last_name,omitempty"`
	Username  string `json:"username,omitempty"`
}

// File is a file of a message. Fields that its kind does not have stay empty.
type File struct {
	FileID       string `json:"file_id"`
	FileUniqueID string `json:"file_unique_id,omitempty"`
	FileName     string `json:"file_name,omitempty"`
	MimeType     string `json:"mime_type,omitempty"`
	FileSize     int64  `json:"file_size,omitempty"`
	FilePath     string `json:"file_path,omitempty"`
	Width        int    `json:"width,omitempty"`
	Height       int    `json:"height,omitempty"`
	Emoji        string `json:"emoji,omitempty"`
	IsAnimated   bool   `json:"is_animated,omitempty"`
	IsVideo      bool   `json:"is_video,omitempty"`
}

// Location is a place on the map.
type Location struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

// Venue is a place with a name.
type Venue struct {
	Location Location `json:"location"`
	Title    string   `json:"title"`
	Address  string   `json:"address"`
}

// Contact is somebody's number.
type Contact struct {
	PhoneNumber string `json:"phone_number"`
	FirstName   string `json:"first_name"`
	LastName    string `json:"last_name,omitempty"`
	UserID      int64  `json:"user_id,omitempty"`
}

// Poll is a question with answers to choose from.
type Poll struct {
	Question string `json:"question"`
}

// Button is one of the buttons below a message.
type Button struct {
	Text         string `json:"text"`
	CallbackData string `json:"callback_data,omitempty"`
}

// Keyboard holds the buttons below a message.
type Keyboard struct {
	Rows [][]Button `json:"inline_keyboard"`
}

// Message is a message in either direction.
type Message struct {
	MessageID            int64           `json:"message_id"`
	From                 *User           `json:"from,omitempty"`
	Chat                 Chat            `json:"chat"`
	Date                 int64           `json:"date"`
	BusinessConnectionID string          `json:"business_connection_id,omitempty"`
	SenderBusinessBot    *User           `json:"sender_business_bot,omitempty"`
	MediaGroupID         string          `json:"media_group_id,omitempty"`
	ReplyTo              *Message        `json:"reply_to_message,omitempty"`
	ForwardOrigin        json.RawMessage `json:"forward_origin,omitempty"`
	Text                 string          `json:"text,omitempty"`
	Caption              string          `json:"caption,omitempty"`
	Photo                []File          `json:"photo,omitempty"`
	Document             *File           `json:"document,omitempty"`
	Animation            *File           `json:"animation,omitempty"`
	Audio                *File           `json:"audio,omitempty"`
	Voice                *File           `json:"voice,omitempty"`
	Video                *File           `json:"video,omitempty"`
	VideoNote            *File           `json:"video_note,omitempty"`
	Sticker              *File           `json:"sticker,omitempty"`
	Location             *Location       `json:"location,omitempty"`
	Venue                *Venue          `json:"venue,omitempty"`
	Contact              *Contact        `json:"contact,omitempty"`
	Poll                 *Poll           `json:"poll,omitempty"`
	Dice                 *Dice           `json:"dice,omitempty"`
	Markup               *Keyboard       `json:"reply_markup,omitempty"`

	// Content that cannot be shown: only whether it is present matters.
	Story     json.RawMessage `json:"story,omitempty"`
	Game      json.RawMessage `json:"game,omitempty"`
	PaidMedia json.RawMessage `json:"paid_media,omitempty"`
	Invoice   json.RawMessage `json:"invoice,omitempty"`
	Checklist json.RawMessage `json:"checklist,omitempty"`
}

// Dice is a random number drawn by Telegram.
type Dice struct {
	Emoji string `json:"emoji"`
	Value int    `json:"value"`
}

// ReactionType is one emoji of a reaction.
type ReactionType struct {
	Type  string `json:"type"`
	Emoji string `json:"emoji,omitempty"`
}

// MessageReaction is a change of somebody's reactions to a message.
type MessageReaction struct {
	Chat      Chat           `json:"chat"`
	MessageID int64          `json:"message_id"`
	User      *User          `json:"user,omitempty"`
	Date      int64          `json:"date"`
	Old       []ReactionType `json:"old_reaction"`
	New       []ReactionType `json:"new_reaction"`
}

// CallbackQuery is a button that was pressed.
type CallbackQuery struct {
	ID      string   `json:"id"`
	From    User     `json:"from"`
	Message *Message `json:"message,omitempty"`
	Data    string   `json:"data,omitempty"`
}

// BusinessRights are the rights that the owner of an account gives a bot.
type BusinessRights struct {
	CanReply bool `json:"can_reply,omitempty"`
}

// BusinessConnection connects a bot to a person's account.
type BusinessConnection struct {
	ID         string          `json:"id"`
	User       User            `json:"user"`
	UserChatID int64           `json:"user_chat_id"`
	Date       int64           `json:"date"`
	Rights     *BusinessRights `json:"rights,omitempty"`
	IsEnabled  bool            `json:"is_enabled"`
}

// DeletedMessages are messages that were deleted in a person's account.
type DeletedMessages struct {
	BusinessConnectionID string  `json:"business_connection_id"`
	Chat                 Chat    `json:"chat"`
	MessageIDs           []int64 `json:"message_ids"`
}

// Update is one event that Telegram reports to a bot.
type Update struct {
	UpdateID              int64               `json:"update_id"`
	Message               *Message            `json:"message,omitempty"`
	EditedMessage         *Message            `json:"edited_message,omitempty"`
	BusinessConnection    *BusinessConnection `json:"business_connection,omitempty"`
	BusinessMessage       *Message            `json:"business_message,omitempty"`
	EditedBusinessMessage *Message            `json:"edited_business_message,omitempty"`
	DeletedMessages       *DeletedMessages    `json:"deleted_business_messages,omitempty"`
	MessageReaction       *MessageReaction    `json:"message_reaction,omitempty"`
	CallbackQuery         *CallbackQuery      `json:"callback_query,omitempty"`
}

// WebhookInfo describes a bot's webhook.
type WebhookInfo struct {
	URL                string `json:"url"`
	PendingUpdateCount int    `json:"pending_update_count"`
	LastErrorDate      int64  `json:"last_error_date,omitempty"`
	LastErrorMessage   string `json:"last_error_message,omitempty"`
}
