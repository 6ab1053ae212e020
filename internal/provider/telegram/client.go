package telegram

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	channel "konak/internal/crm/channel/telegram"
	"konak/internal/kit/each"
	"konak/internal/kit/secret"
	"konak/internal/kit/trtext"
	"konak/internal/provider/rest"
)

// Client speaks with the Bot API.
type Client struct {
	base string
	http *rest.Client
}

var _ channel.Provider = (*Client)(nil)

const (
	// patience is how long one call may take; files have filePatience.
	patience     = 15 * time.Second
	filePatience = 2 * time.Minute
	// maxAnswer is the size of the largest answer that is read into memory: a
	// hundred updates.
	maxAnswer = 4 << 20
	// maxUpdates is the largest number of updates in one answer.
	maxUpdates = 100
)

// New creates a client; an empty address means Telegram's.
func New(address string, transport http.RoundTripper) *Client {
	return &Client{
		base: strings.TrimSuffix(cmp.Or(address, Host), "/"),
		http: rest.New("telegram", maxAnswer, transport, 0),
	}
}

// tokenForm matches valid tokens. Anything else could change the address of which it
// becomes a part.
var tokenForm = regexp.MustCompile(`^[0-9]{1,20}:[A-Za-z0-9_-]{1,100}$`)

// errToken is the provider's answer to a token that belongs to no bot.
var errToken = &channel.Refusal{Status: http.StatusUnauthorized, Text: "Unauthorized"}

// send makes a request. Errors do not contain the address, because the token is in it.
func (c *Client) send(ctx context.Context, method, prefix string, token secret.Text, path, kind string, body io.Reader) (*http.Response, error) {
	if !tokenForm.MatchString(token.Reveal()) {
		return nil, errToken
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+prefix+"/bot"+token.Reveal()+"/"+path, body)
	if err != nil {
		return nil, errors.New("telegram: invalid address")
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	return c.http.Send(req)
}

// call calls a method of the Bot API and reads its result into out; nil for a method whose
// result is only true.
func (c *Client) call(ctx context.Context, token secret.Text, method string, in, out any) error {
	return c.callWithin(ctx, patience, token, method, in, out)
}

func (c *Client) callWithin(ctx context.Context, most time.Duration, token secret.Text, method string, in, out any) error {
	text, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("telegram: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	resp, err := c.send(ctx, http.MethodPost, "", token, method, "application/json", bytes.NewReader(text))
	if err != nil {
		return err
	}
	if out == nil {
		out = new(bool)
	}
	return c.readResult(resp, out)
}

// readResult reads an answer and closes it. It returns a *channel.Refusal if the provider
// refused the call, and outbound.ErrTooMuch if the answer is too large.
func (c *Client) readResult(resp *http.Response, out any) error {
	text, err := c.http.ReadAnswer(resp)
	if err != nil {
		return err
	}
	var a Answer
	if err := json.Unmarshal(text, &a); err != nil || !a.OK {
		r := &channel.Refusal{Status: cmp.Or(a.ErrorCode, resp.StatusCode), Text: cmp.Or(a.Description, http.StatusText(resp.StatusCode))}
		if a.Parameters != nil && a.Parameters.RetryAfter > 0 {
			r.RetryAfter = time.Duration(a.Parameters.RetryAfter) * time.Second
		}
		if r.Status/100 == 2 {
			return errors.New("telegram: cannot read the answer")
		}
		return r
	}
	if err := json.Unmarshal(trtext.WithoutNUL(a.Result), out); err != nil {
		return fmt.Errorf("telegram: cannot read the answer: %w", err)
	}
	return nil
}

// Bot implements channel.Provider.
func (c *Client) Bot(ctx context.Context, token secret.Text) (channel.Bot, error) {
	var u User
	if err := c.call(ctx, token, "getMe", struct{}{}, &u); err != nil {
		return channel.Bot{}, err
	}
	if !u.IsBot || u.ID == 0 {
		return channel.Bot{}, errors.New("telegram: the answer contains no bot")
	}
	return channel.Bot{ID: u.ID, Name: nameOf(u.FirstName, u.LastName), Username: u.Username}, nil
}

// SetWebhook implements channel.Provider. Waiting updates are kept. They are delivered one
// after the other: over several connections they would overtake each other.
func (c *Client) SetWebhook(ctx context.Context, token secret.Text, address, key string) error {
	return c.call(ctx, token, "setWebhook", map[string]any{
		"url": address, "secret_token": key, "allowed_updates": AllowedUpdates, "max_connections": 1,
	}, nil)
}

// DeleteWebhook implements channel.Provider.
func (c *Client) DeleteWebhook(ctx context.Context, token secret.Text) error {
	return c.call(ctx, token, "deleteWebhook", struct{}{}, nil)
}

// Webhook implements channel.Provider.
func (c *Client) Webhook(ctx context.Context, token secret.Text) (channel.WebhookState, error) {
	var w WebhookInfo
	err := c.call(ctx, token, "getWebhookInfo", struct{}{}, &w)
	return channel.WebhookState{URL: w.URL, Pending: w.PendingUpdateCount, LastError: w.LastErrorMessage}, err
}

// Updates implements channel.Provider.
func (c *Client) Updates(ctx context.Context, token secret.Text, from int64, wait time.Duration) ([]channel.Update, error) {
	var list []Update
	err := c.callWithin(ctx, patience+wait, token, "getUpdates", map[string]any{
		"offset": from, "limit": maxUpdates, "timeout": int(wait / time.Second), "allowed_updates": AllowedUpdates,
	}, &list)
	out := make([]channel.Update, len(list))
	for i := range list {
		out[i] = readUpdate(&list[i])
	}
	return out, err
}

// React implements channel.Provider.
func (c *Client) React(ctx context.Context, token secret.Text, chat string, message int64, emoji string) error {
	signs := []ReactionType{}
	if emoji != "" {
		signs = append(signs, ReactionType{Type: "emoji", Emoji: emoji})
	}
	return c.call(ctx, token, "setMessageReaction", map[string]any{"chat_id": chat, "message_id": message, "reaction": signs}, nil)
}

// ShowTyping implements channel.Provider.
func (c *Client) ShowTyping(ctx context.Context, token secret.Text, chat, connection string) error {
	in := map[string]any{"chat_id": chat, "action": "typing"}
	if connection != "" {
		in["business_connection_id"] = connection
	}
	return c.call(ctx, token, "sendChatAction", in, nil)
}

// AnswerButton implements channel.Provider.
func (c *Client) AnswerButton(ctx context.Context, token secret.Text, id string) error {
	return c.call(ctx, token, "answerCallbackQuery", map[string]any{"callback_query_id": id}, nil)
}

// Send implements channel.Provider.
func (c *Client) Send(ctx context.Context, token secret.Text, m channel.Message) ([]int64, error) {
	fields := map[string]string{"chat_id": m.Chat}
	if m.Connection != "" {
		fields["business_connection_id"] = m.Connection
	}
	if len(m.Files) == 0 {
		return c.sendText(ctx, token, fields, m)
	}
	method := map[string]string{
		channel.KindPhoto: "sendPhoto", channel.KindVideo: "sendVideo", channel.KindAudio: "sendAudio", channel.KindVoice: "sendVoice",
	}[m.Files[0].Kind]
	form := rest.Form{Fields: fields}
	if len(m.Files) == 1 {
		method = cmp.Or(method, "sendDocument")
		form.Files = []rest.File{formFile(strings.ToLower(strings.TrimPrefix(method, "send")), m.Files[0])}
		if m.Text != "" {
			fields["caption"] = m.Text
		}
		var out Message
		if err := c.upload(ctx, token, method, form, &out); err != nil {
			return nil, err
		}
		return []int64{out.MessageID}, nil
	}
	album := make([]map[string]string, len(m.Files))
	for i, f := range m.Files {
		name := "file" + strconv.Itoa(i)
		form.Files = append(form.Files, formFile(name, f))
		album[i] = map[string]string{"type": f.Kind, "media": "attach://" + name}
	}
	if m.Text != "" {
		album[0]["caption"] = m.Text
	}
	text, err := json.Marshal(album)
	if err != nil {
		return nil, fmt.Errorf("telegram: %w", err)
	}
	fields["media"] = string(text)
	var list []Message
	if err := c.upload(ctx, token, "sendMediaGroup", form, &list); err != nil {
		return nil, err
	}
	return numbersOf(list)
}

func (c *Client) sendText(ctx context.Context, token secret.Text, fields map[string]string, m channel.Message) ([]int64, error) {
	in := map[string]any{"text": m.Text}
	for k, v := range fields {
		in[k] = v
	}
	if len(m.Buttons) > 0 {
		row := each.Map(m.Buttons, func(b channel.Button) Button { return Button{Text: b.Text, CallbackData: b.Data} })
		in["reply_markup"] = Keyboard{Rows: [][]Button{row}}
	}
	var out Message
	if err := c.call(ctx, token, "sendMessage", in, &out); err != nil {
		return nil, err
	}
	return numbersOf([]Message{out})
}

// numbersOf returns the numbers of the messages that the provider created; an error if
// there are none.
func numbersOf(list []Message) ([]int64, error) {
	out := each.Map(list, func(m Message) int64 { return m.MessageID })
	if len(out) == 0 || out[0] == 0 {
		return nil, errors.New("telegram: the answer contains no message")
	}
	return out, nil
}

func formFile(field string, f channel.OutgoingFile) rest.File {
	return rest.File{Field: field, Name: f.Name, Content: f.Content}
}

func (c *Client) upload(ctx context.Context, token secret.Text, method string, f rest.Form, out any) error {
	ctx, cancel := context.WithTimeout(ctx, filePatience)
	defer cancel()
	body, kind := f.Open()
	defer func() { _ = body.Close() }()
	resp, err := c.send(ctx, http.MethodPost, "", token, method, kind, body)
	if err != nil {
		return err
	}
	return c.readResult(resp, out)
}

// Download implements channel.Provider.
func (c *Client) Download(ctx context.Context, token secret.Text, fileID string) (io.ReadCloser, error) {
	var f File
	if err := c.call(ctx, token, "getFile", map[string]any{"file_id": fileID}, &f); err != nil {
		return nil, err
	}
	path, err := filePath(f.FilePath)
	if err != nil {
		return nil, err
	}
	resp, err := c.send(ctx, http.MethodGet, "/file", token, path, "", nil)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode/100 != 2 {
		return nil, c.readResult(resp, nil)
	}
	return resp.Body, nil
}

// filePath escapes a path from the provider for use in an address. It refuses one that
// leads elsewhere, because the token is sent with it.
func filePath(path string) (string, error) {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if p == "" || p == "." || p == ".." {
			return "", &channel.Refusal{Status: http.StatusBadRequest, Text: "the file has no path"}
		}
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/"), nil
}
