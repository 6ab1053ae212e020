package telegram

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"konak/internal/kit/clock"
	wire "konak/internal/provider/telegram"
	"konak/internal/sandbox/callback"
)

// Bot is a bot with its token.
type Bot struct {
	ID       int64
	Name     string
	Username string
	Token    string
}

// Sent is an accepted call.
type Sent struct {
	Method     string
	Chat       int64
	Connection string
	MessageID  int64
	Text       string
	Files      []SentFile
	Buttons    []wire.Button
	// ReactTo and Emoji are a reaction to a message.
	ReactTo int64
	Emoji   string
}

// SentFile is a file of a message.
type SentFile struct {
	Kind, Name string
	Size       int64
}

// bot is the server's record of a bot.
type bot struct {
	Bot
	webhook, secret string
	lastError       string
	updates         []wire.Update // that wait for a poll
	chats           map[int64]bool
	connections     map[string]wire.BusinessConnection
	sent            []Sent
	answered        []string // buttons
	actions         []ChatAction
}

// ChatAction is an activity that a bot shows in a chat.
type ChatAction struct {
	Chat       int64
	Connection string
	Action     string
}

// Server is the stand-in.
type Server struct {
	clock clock.Source
	post  *callback.Poster
	// PollFor is the longest that a poll for updates is held; zero answers at once.
	PollFor time.Duration
	// KnowsEverybody lets bots write to chats that nobody began, because those of a demo
	// began before it started.
	KnowsEverybody bool
	// OnSent is called with each accepted message and reaction; it may be nil. It must not
	// call the server.
	OnSent func(bot int64, m Sent)

	mu       sync.Mutex
	bots     map[int64]*bot
	files    map[string][]byte
	failures map[string][]*refusal // by method
	last     int64                 // the last number used; it begins with the time, so that none is repeated
	behind   int64                 // how much lower the ids of updates are than the numbers
	news     chan struct{}         // closed and replaced when updates arrive
}

// New returns a service.
func New(c clock.Source) *Server {
	return &Server{
		clock: c, post: callback.NewPoster(), bots: map[int64]*bot{}, files: map[string][]byte{}, failures: map[string][]*refusal{},
		last: c.Now().Unix(), news: make(chan struct{}),
	}
}

// Close stops posting webhooks.
func (s *Server) Close() { s.post.Close() }

// CountAnew gives the next updates lower ids than those before, as the provider may after a
// week without updates.
func (s *Server) CountAnew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.behind = s.last
}

// Settle waits until every due webhook was posted.
func (s *Server) Settle() { s.post.Settle() }

// Add adds a bot; an existing one with the same number gets the new token.
func (s *Server) Add(b Bot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.bots[b.ID]; known != nil {
		known.Bot = b
		return
	}
	s.bots[b.ID] = &bot{Bot: b, chats: map[int64]bool{}, connections: map[string]wire.BusinessConnection{}}
}

// Fail answers the next call of a method with a failure.
func (s *Server) Fail(method string, status int, description string, retryAfter int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures[method] = append(s.failures[method], &refusal{status, retryAfter, description})
}

// Sent returns what a bot sent since the last call.
func (s *Server) Sent(id int64) []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.bots[id].sent
	s.bots[id].sent = nil
	return out
}

// Answered lists the button presses that a bot acknowledged.
func (s *Server) Answered(id int64) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.bots[id].answered)
}

// Actions lists the activities that a bot showed.
func (s *Server) Actions(id int64) []ChatAction {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.bots[id].actions)
}

// Webhook returns the address of a bot's webhook, and its secret.
func (s *Server) Webhook(id int64) (address, secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bots[id].webhook, s.bots[id].secret
}

// DropWebhook removes a bot's webhook, as when somebody else deletes it.
func (s *Server) DropWebhook(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bots[id].webhook = ""
}

// refusal is an error of the Bot API.
type refusal struct {
	status, retryAfter int
	description        string
}

func no(status int, format string, args ...any) *refusal {
	return &refusal{status: status, description: fmt.Sprintf(format, args...)}
}

// Serves reports whether a path belongs to the service.
func (s *Server) Serves(path string) bool {
	return strings.HasPrefix(path, "/bot") || strings.HasPrefix(path, "/file/bot") || strings.HasPrefix(path, "/sandbox/telegram/")
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/")
	if rest, is := strings.CutPrefix(path, "file/bot"); is {
		s.serveFile(w, rest)
		return
	}
	var out any
	var err *refusal
	if rest, is := strings.CutPrefix(path, "sandbox/telegram/"); is {
		out, err = s.control(r, rest)
	} else {
		out, err = s.answer(r, strings.TrimPrefix(path, "bot"))
	}
	a := wire.Answer{OK: err == nil}
	status := http.StatusOK
	if err != nil {
		status, a.ErrorCode, a.Description = err.status, err.status, err.description
		if err.retryAfter > 0 {
			a.Parameters = &wire.Parameters{RetryAfter: err.retryAfter}
		}
	} else if text, fail := json.Marshal(out); fail == nil {
		a.Result = text
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(a)
}

// answer carries out a call: TOKEN/METHOD.
func (s *Server) answer(r *http.Request, path string) (any, *refusal) {
	token, method, _ := strings.Cut(path, "/")
	b := s.byToken(token)
	if b == nil {
		return nil, no(401, "Unauthorized")
	}
	in, err := readParams(r)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	if list := s.failures[method]; len(list) > 0 {
		s.failures[method] = list[1:]
		s.mu.Unlock()
		return nil, list[0]
	}
	s.mu.Unlock()
	if method == "getUpdates" {
		return s.getUpdates(r, b, in)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch method {
	case "getMe":
		return b.user(), nil
	case "setWebhook":
		return s.setWebhook(b, in)
	case "deleteWebhook":
		b.webhook, b.secret = "", ""
		return true, nil
	case "getWebhookInfo":
		return wire.WebhookInfo{URL: b.webhook, PendingUpdateCount: len(b.updates), LastErrorMessage: b.lastError}, nil
	case "getFile":
		return s.getFile(in)
	case "setMessageReaction":
		return s.setReaction(b, in)
	case "sendChatAction":
		a := ChatAction{in.number("chat_id"), in.text("business_connection_id"), in.text("action")}
		if err := s.mayWrite(b, a.Chat, a.Connection); err != nil {
			return nil, err
		}
		if a.Action != "typing" {
			return nil, no(400, "Bad Request: wrong parameter action in request")
		}
		b.actions = append(b.actions, a)
		return true, nil
	case "answerCallbackQuery":
		b.answered = append(b.answered, in.text("callback_query_id"))
		return true, nil
	case "getBusinessConnection":
		c, ok := b.connections[in.text("business_connection_id")]
		if !ok {
			return nil, no(400, "Bad Request: business connection not found")
		}
		return c, nil
	}
	return s.send(b, method, in)
}

func (s *Server) byToken(token string) *bot {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.bots {
		if b.Token == token {
			return b
		}
	}
	return nil
}

func (b *bot) user() wire.User {
	return wire.User{ID: b.ID, IsBot: true, FirstName: b.Name, Username: b.Username}
}

func (s *Server) setWebhook(b *bot, in params) (any, *refusal) {
	address, key := in.text("url"), in.text("secret_token")
	if len(key) > 256 || strings.Trim(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
		return nil, no(400, "Bad Request: secret token contains unallowed characters")
	}
	b.webhook, b.secret = address, key
	waiting := b.updates
	b.updates = nil
	for _, u := range waiting {
		s.tell(b, u)
	}
	return true, nil
}

// getUpdates returns the waiting updates from an id on, or waits for one.
func (s *Server) getUpdates(r *http.Request, b *bot, in params) (any, *refusal) {
	wait := min(time.Duration(in.number("timeout"))*time.Second, s.PollFor)
	over := time.NewTimer(wait)
	defer over.Stop()
	for {
		s.mu.Lock()
		if b.webhook != "" {
			s.mu.Unlock()
			return nil, no(409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first")
		}
		if from := in.number("offset"); from > 0 {
			b.updates = slices.DeleteFunc(b.updates, func(u wire.Update) bool { return u.UpdateID < from })
		}
		out := slices.Clone(b.updates)
		news := s.news
		s.mu.Unlock()
		if len(out) > 100 {
			out = out[:100]
		}
		if len(out) > 0 || wait == 0 {
			return append([]wire.Update{}, out...), nil
		}
		select {
		case <-news:
		case <-over.C:
			return []wire.Update{}, nil
		case <-r.Context().Done():
			return []wire.Update{}, nil
		}
	}
}

// tell posts an update to a bot's webhook, or keeps it for polls; the caller holds the
// lock.
func (s *Server) tell(b *bot, u wire.Update) {
	if u.UpdateID == 0 {
		u.UpdateID = s.number() - s.behind
	}
	if b.webhook == "" {
		b.updates = append(b.updates, u)
		close(s.news)
		s.news = make(chan struct{})
		return
	}
	text, err := json.Marshal(u)
	if err != nil {
		return
	}
	s.post.Add(callback.Call{To: b.webhook, Header: wire.SecretHeader, Value: b.secret, Body: text, Failed: func(reason string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		b.lastError = reason
	}})
}

// number returns a new number; the caller holds the lock.
func (s *Server) number() int64 {
	s.last++
	return s.last
}

// maxFile is the largest file that bots can download.
const maxFile = 20 << 20

func (s *Server) getFile(in params) (any, *refusal) {
	id := in.text("file_id")
	content, ok := s.files[id]
	if !ok {
		return nil, no(400, "Bad Request: invalid file_id")
	}
	if len(content) > maxFile {
		return nil, no(400, "Bad Request: file is too big")
	}
	return wire.File{FileID: id, FileUniqueID: id, FileSize: int64(len(content)), FilePath: "documents/" + id}, nil
}

func (s *Server) serveFile(w http.ResponseWriter, path string) {
	token, name, _ := strings.Cut(path, "/")
	s.mu.Lock()
	content, ok := s.files[strings.TrimPrefix(name, "documents/")]
	s.mu.Unlock()
	if !ok || s.byToken(token) == nil {
		http.Error(w, `{"ok":false,"error_code":404,"description":"Not Found"}`, http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = w.Write(content)
}

// params are the parameters of a call, whatever their encoding.
type params struct {
	values map[string]any
	files  map[string]SentFile
}

const maxBody = 64 << 20

// readParams reads a call as JSON, as a form or as a form with files.
func readParams(r *http.Request) (params, *refusal) {
	p := params{values: map[string]any{}, files: map[string]SentFile{}}
	r.Body = http.MaxBytesReader(nil, r.Body, maxBody)
	kind := r.Header.Get("Content-Type")
	if strings.HasPrefix(kind, "application/json") {
		text, err := io.ReadAll(r.Body)
		if err == nil && len(text) > 0 {
			err = json.Unmarshal(text, &p.values)
		}
		if err != nil {
			return p, no(400, "Bad Request: can't parse JSON object")
		}
		return p, nil
	}
	if strings.HasPrefix(kind, "multipart/") {
		if err := r.ParseMultipartForm(1 << 20); err != nil {
			return p, no(400, "Bad Request: can't parse the form")
		}
		for name, list := range r.MultipartForm.File {
			p.files[name] = SentFile{Name: list[0].Filename, Size: list[0].Size}
		}
	} else if err := r.ParseForm(); err != nil {
		return p, no(400, "Bad Request: can't parse the form")
	}
	for k, v := range r.Form {
		p.values[k] = v[0]
	}
	return p, nil
}

func (p params) text(name string) string {
	switch v := p.values[name].(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

// file returns the file of a parameter: it was sent under the parameter's name, or under
// the name that the parameter attaches.
func (p params) file(name string) (SentFile, bool) {
	if other, is := strings.CutPrefix(p.text(name), "attach://"); is {
		name = other
	}
	f, ok := p.files[name]
	return f, ok
}

func (p params) number(name string) int64 {
	n, _ := strconv.ParseInt(p.text(name), 10, 64)
	return n
}

// object parses a parameter that is JSON; in a form it is text.
func (p params) object(name string, into any) {
	text, is := p.values[name].(string)
	if !is {
		b, err := json.Marshal(p.values[name])
		if err != nil {
			return
		}
		text = string(b)
	}
	_ = json.Unmarshal([]byte(text), into)
}
