package assistant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
	"konak/internal/kit/secret"
)

// ErrBadAnswer means that a language model's server answered, but the answer cannot be
// used.
var ErrBadAnswer = errors.New("the language model's answer cannot be used")

// ErrNothingUsed means that a language model's server never began to answer: it was not
// reached, closed the connection, or refused. Such a call uses no tokens.
var ErrNothingUsed = errors.New("the language model's server did not start to answer")

// Model calls servers that speak the OpenAI-compatible chat API.
type Model interface {
	// CheckAddress parses a user's address; validation_failed if it is not usable.
	CheckAddress(field, address string) (string, error)
	// Complete requests the next message. It reads an answer of limited size and ends with
	// the context. The error is ErrBadAnswer for an answer that makes no sense; any other
	// error means that the server did not answer, and is ErrNothingUsed if it certainly
	// used no tokens.
	Complete(ctx context.Context, to Endpoint, r ChatRequest) (ChatAnswer, error)
}

// Endpoint is the address, model and key for calling a language model.
type Endpoint struct {
	Address string // such as https://llm.example.com/v1
	Model   string
	Key     secret.Text
}

// Roles of messages in a chat.
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// ChatMessage is a message of a chat.
type ChatMessage struct {
	Role  string
	Text  string
	Calls []ToolCall // requested by the assistant
	For   string     // the call that a tool's message answers
}

// ToolCall is a language model's request to run a tool.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string // JSON, as the model wrote it
}

// Tool is a tool that a language model may use.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON schema
}

// ChatRequest asks for the next message of a chat.
type ChatRequest struct {
	Messages  []ChatMessage
	Tools     []Tool
	MaxTokens int
}

// ChatAnswer is the next message of a chat.
type ChatAnswer struct {
	Text  string
	Calls []ToolCall
	// Input and Output are the tokens that the server counted; zero if it does not report
	// them.
	Input, Output int64
}

// Engines of a configuration.
const (
	Embedded      = "embedded"
	LanguageModel = "language_model"
)

// ModelSettings is the language model of a configuration.
type ModelSettings struct {
	Address      string      `json:"address" example:"https://llm.example.com/v1" doc:"Base URL of the OpenAI-compatible API; /chat/completions is appended"`
	Model        string      `json:"model" example:"qwen3-32b"`
	HasKey       bool        `json:"has_key" doc:"Whether a key is stored; the key itself is never returned"`
	InputPrice   int64       `json:"input_price" example:"15" doc:"Minor units per million tokens sent"`
	OutputPrice  int64       `json:"output_price" example:"60" doc:"Minor units per million tokens received"`
	DailyTokens  int64       `json:"daily_tokens" example:"500000" doc:"Tokens per day (UTC)"`
	DailyMoney   int64       `json:"daily_money" example:"1000" doc:"Minor units per day; 0 means no limit"`
	DailySeconds int64       `json:"daily_seconds" example:"3600" doc:"Seconds per day that calls can take"`
	Spent        Spending    `json:"spent" doc:"Used from today's budgets, including what running calls reserved"`
	Failure      *string     `json:"failure" nullable:"true" example:"status_503" doc:"Why the server's last answer failed: dns, connect, tls, timeout, refused_address, or status_ with the status it returned; null if it answered"`
	PausedUntil  *clock.Time `json:"paused_until" nullable:"true" doc:"Paused until then after failures; conversations are handed over meanwhile"`

	sealed   []byte
	failures int
}

// Spending is what was used on a day.
type Spending struct {
	Tokens  int64 `json:"tokens" example:"18250"`
	Money   int64 `json:"money" example:"3" doc:"Minor units, rounded up"`
	Seconds int64 `json:"seconds" example:"42" doc:"Rounded up"`
}

// ModelInput is the caller's input for a language model.
type ModelInput struct {
	Address      string  `json:"address" minLength:"1" maxLength:"500" example:"https://llm.example.com/v1" doc:"Base URL of the OpenAI-compatible API, without a query; /chat/completions is appended"`
	Model        string  `json:"model" minLength:"1" maxLength:"200" example:"qwen3-32b"`
	APIKey       *string `json:"api_key,omitempty" maxLength:"500" example:"sk-…" doc:"Stored encrypted and never returned. If left out, the stored key stays, unless the address is another server's. Empty deletes it"`
	InputPrice   int64   `json:"input_price,omitempty" minimum:"0" maximum:"1000000" example:"15" doc:"Minor units per million tokens sent"`
	OutputPrice  int64   `json:"output_price,omitempty" minimum:"0" maximum:"1000000" example:"60" doc:"Minor units per million tokens received"`
	DailyTokens  *int64  `json:"daily_tokens,omitempty" minimum:"0" maximum:"1000000000" example:"500000" doc:"Tokens per day (UTC); at least 4000, defaults to 500000"`
	DailyMoney   int64   `json:"daily_money,omitempty" minimum:"0" maximum:"100000000" example:"1000" doc:"Minor units per day, calculated from the prices and refused without them; 0 means no limit"`
	DailySeconds *int64  `json:"daily_seconds,omitempty" minimum:"0" maximum:"86400" example:"3600" doc:"Seconds per day that calls can take; at least the time of two calls (60 s unless the operator changed it), defaults to 3600"`
}

// Budgets of a configuration that sets none.
const (
	defaultDailyTokens  = 500_000
	defaultDailySeconds = 3600
)

// leastDailyTokens is the most that the question and answer of a short conversation may
// use, which is reserved before a server is called.
const leastDailyTokens = 4000

// leastDailySeconds returns the most time that an answer with one search may take: a call
// reserves its full time limit.
func (s *Service) leastDailySeconds() int64 {
	return int64(math.Ceil((2 * s.ModelTime).Seconds()))
}

// checkBudgets refuses budgets that allow no answer at all, and a money budget that never
// applies because there are no prices.
func (s *Service) checkBudgets(m *ModelSettings) error {
	tooSmall := func(field string, least int64) error {
		return fault.Invalid("model."+field, "too_small").Because(fmt.Sprintf("the least %s that allows an answer is %d", field, least))
	}
	leastMoney := roundUp(leastDailyTokens*max(m.InputPrice, m.OutputPrice), moneyUnit)
	switch {
	case m.DailyTokens < leastDailyTokens:
		return tooSmall("daily_tokens", leastDailyTokens)
	case m.DailySeconds < s.leastDailySeconds():
		return tooSmall("daily_seconds", s.leastDailySeconds())
	case m.DailyMoney > 0 && m.InputPrice == 0 && m.OutputPrice == 0:
		return fault.Invalid("model.daily_money", "needs_prices")
	case m.DailyMoney > 0 && m.DailyMoney < leastMoney:
		return tooSmall("daily_money", leastMoney)
	}
	return nil
}

// modelPlace returns the context that a configuration's key is sealed for.
func modelPlace(id uuid.UUID) string { return "assistant_configuration/" + id.String() }

// applyModel checks the input for a language model and copies it into the configuration. A
// stored key is kept only for its own server: validation_failed if the address is on
// another server and no key is given.
func (s *Service) applyModel(tenant uuid.UUID, in *ModelInput, c *Configuration) error {
	was := c.Model.V
	c.Engine, c.Model.V = Embedded, nil
	if in == nil {
		return nil
	}
	address, err := s.Model.CheckAddress("model.address", in.Address)
	if err != nil {
		return err
	}
	m := &ModelSettings{
		Address: address, Model: in.Model, InputPrice: in.InputPrice, OutputPrice: in.OutputPrice,
		DailyTokens: defaultDailyTokens, DailyMoney: in.DailyMoney, DailySeconds: max(defaultDailySeconds, s.leastDailySeconds()),
	}
	if in.DailyTokens != nil {
		m.DailyTokens = *in.DailyTokens
	}
	if in.DailySeconds != nil {
		m.DailySeconds = *in.DailySeconds
	}
	if err := s.checkBudgets(m); err != nil {
		return err
	}
	switch {
	case in.APIKey != nil && strings.ContainsFunc(*in.APIKey, isNoHeader):
		return fault.Invalid("model.api_key", "invalid_characters")
	case in.APIKey != nil && *in.APIKey != "":
		m.sealed = s.Box.Seal(tenant, modelPlace(c.ID), []byte(*in.APIKey))
	case in.APIKey == nil && was != nil && was.sealed != nil:
		if !sameServer(was.Address, address) {
			return fault.Invalid("model.api_key", "required")
		}
		m.sealed = was.sealed
	}
	m.HasKey = m.sealed != nil
	c.Engine, c.Model.V = LanguageModel, m
	return nil
}

// isNoHeader reports whether a character is not allowed in a header, where keys are sent.
func isNoHeader(r rune) bool { return r < ' ' || r > '~' }

// sameServer reports whether two addresses have the same scheme, host and port.
func sameServer(a, b string) bool {
	x, err := url.Parse(a)
	y, other := url.Parse(b)
	return err == nil && other == nil && x.Scheme == y.Scheme && x.Host == y.Host
}

// endpoint returns the endpoint of a configuration's language model.
func (s *Service) endpoint(tenant uuid.UUID, c *Configuration) (Endpoint, error) {
	m := c.Model.V
	out := Endpoint{Address: m.Address, Model: m.Model}
	if m.sealed != nil {
		key, err := s.Box.Open(tenant, modelPlace(c.ID), m.sealed)
		if err != nil {
			return out, err
		}
		out.Key = secret.Of(string(key))
	}
	return out, nil
}
