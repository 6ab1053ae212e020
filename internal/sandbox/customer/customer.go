package customer

import (
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Person is whom the visitor plays. Everybody of the same name is the same person.
type Person struct{ Name string }

// Number is one of the person, the same on every channel.
func (p Person) Number() int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(strings.ToLower(p.Name)))
	return 1_000_000 + int64(h.Sum32())%9_000_000
}

// Channel is a channel of a workspace. What it cannot do is nil.
type Channel struct {
	Kind, Name, Account string
	// ID is how the channel calls the person.
	ID func(Person) string
	// Write and Picture give the channel's name for the message.
	Write   func(p Person, text string) (string, error)
	Picture func(p Person, content []byte) (string, error)
	// More are other things that the person can send.
	More []Sending
	// Lacks says in both languages what the channel cannot do.
	Lacks []string
	// Seen is how the business sees the person on the channel.
	Seen func(Person) string
	// React puts a sign on a message of the business.
	React  func(p Person, message, emoji string) error
	Edit   func(p Person, message, text string) error
	Delete func(p Person, message string) error
	// AnswerCall agrees to be called, or refuses.
	AnswerCall func(p Person, agrees bool) error
	// Call calls the business, and tells how the call goes on: "ringing", "answered",
	// "ended", or why it could not be made.
	Call func(p Person, tell func(state string)) error
	// Business lets the company's bot work in the person's own account, keeps it from
	// answering there, or ends it.
	Business func(p Person, state string) error
	// Owner is what the owner of the number does in the app on their phone.
	Owner func(p Person, does string) error
	// HangUp ends the person's calls.
	HangUp func(p Person)
}

// Sending is something that the person can send with one button.
type Sending struct {
	Name string
	// Words are on the button, Shown stands for the message in the conversation.
	Words, Shown string
	Send         func(Person) (string, error)
}

// Workspace is a workspace of the demo.
type Workspace struct {
	Slug, Name string
	Channels   []Channel
	// Review is of its templates; nil where it has none.
	Review *Review
}

// Message is one between the visitor and the business.
type Message struct {
	ID, Text string
	// Mine says that the visitor wrote it.
	Mine, Edited, Deleted bool
	// Notice says that nobody wrote it: it tells how a call goes on.
	Notice   bool
	Reaction string
}

// Page is the page with what was said on it.
type Page struct {
	workspaces []Workspace

	mu    sync.Mutex
	log   map[string][]*Message // by account and the person's id there
	modes map[string]string     // by provider
}

// logMax is how many messages of a conversation are kept.
const logMax = 200

// NewPage makes a page without workspaces; Add adds them.
func NewPage() *Page { return &Page{log: map[string][]*Message{}, modes: map[string]string{}} }

// Add adds a workspace. It is called before the page is served.
func (p *Page) Add(w Workspace) {
	p.workspaces = append(p.workspaces, w)
	slices.SortFunc(p.workspaces, func(a, b Workspace) int { return -strings.Compare(a.Slug, b.Slug) })
}

// Told keeps what a business sent to a person on an account.
func (p *Page) Told(account, person string, m Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := account + "/" + person
	p.log[key] = append(p.log[key], &m)
	if len(p.log[key]) > logMax {
		p.log[key] = p.log[key][1:]
	}
}

// change changes a message that was kept.
func (p *Page) change(account, person, id string, fn func(*Message)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.log[account+"/"+person] {
		if m.ID == id {
			fn(m)
		}
	}
}

// messages gives a conversation, the oldest first.
func (p *Page) messages(account, person string) (out []Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.log[account+"/"+person] {
		out = append(out, *m)
	}
	return out
}

// Ways in which a provider misbehaves.
const (
	ModeSlow   = "slow"   // answers after half a minute, when nobody waits any more
	ModeFull   = "full"   // says that it has too much to do
	ModeBroken = "broken" // fails
)

// slowFor is longer than anybody waits.
const slowFor = 30 * time.Second

// Guard makes a provider misbehave as the page says, and lets it answer otherwise.
func (p *Page) Guard(provider string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		mode := p.modes[provider]
		p.mu.Unlock()
		switch mode {
		case ModeSlow:
			over := time.NewTimer(slowFor)
			defer over.Stop()
			select {
			case <-over.C:
			case <-r.Context().Done():
				return
			}
		case ModeFull:
			w.Header().Set("Retry-After", "30")
			fail(w, http.StatusTooManyRequests, 4)
			return
		case ModeBroken:
			fail(w, http.StatusInternalServerError, 2)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// fail answers so that both providers' clients can read it.
func fail(w http.ResponseWriter, status, code int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"ok":false,"error_code":%d,"description":"the customer's page of the demo makes this provider fail","parameters":{"retry_after":30},"error":{"code":%d,"message":"the customer's page of the demo makes this provider fail"}}`, status, code)
}

// ErrNoNumber says that the workspace has no telephone number yet.
var ErrNoNumber = errors.New("the workspace has no number")

// errUnknown says that the visitor asked for something that the channel cannot do.
var errUnknown = errors.New("the channel cannot do this")

// errNoPicture says that the visitor chose another kind of file.
var errNoPicture = errors.New("the file is no picture")

// act does what the visitor asked for.
func (p *Page) act(ws Workspace, c Channel, who Person, form formValues) error {
	id, message := c.ID(who), form("message")
	switch form("act") {
	case "write":
		text := strings.TrimSpace(form("text"))
		if text == "" {
			return nil
		}
		if c.Write == nil {
			return errUnknown
		}
		return p.said(c, id, text, func() (string, error) { return c.Write(who, text) })
	case "picture":
		if c.Picture == nil {
			return errUnknown
		}
		content := []byte(form("file"))
		if len(content) > 0 && pictureType(content) == "" {
			return errNoPicture
		}
		return p.said(c, id, "🖼", func() (string, error) { return c.Picture(who, content) })
	case "more":
		for _, m := range c.More {
			if m.Name == form("what") {
				return p.said(c, id, m.Shown, func() (string, error) { return m.Send(who) })
			}
		}
		return errUnknown
	case "react":
		if c.React == nil {
			return errUnknown
		}
		err := c.React(who, message, form("emoji"))
		if err == nil {
			p.change(c.Account, id, message, func(m *Message) { m.Reaction = form("emoji") })
		}
		return err
	case "edit":
		if c.Edit == nil {
			return errUnknown
		}
		err := c.Edit(who, message, form("text"))
		if err == nil {
			p.change(c.Account, id, message, func(m *Message) { m.Text, m.Edited = form("text"), true })
		}
		return err
	case "delete":
		if c.Delete == nil {
			return errUnknown
		}
		err := c.Delete(who, message)
		if err == nil {
			p.change(c.Account, id, message, func(m *Message) { m.Deleted = true })
		}
		return err
	case "call":
		if c.AnswerCall == nil {
			return errUnknown
		}
		return c.AnswerCall(who, form("answer") == "agree")
	case "dial":
		if c.Call == nil {
			return errUnknown
		}
		return c.Call(who, func(state string) { p.Told(c.Account, id, Message{Text: callWords(state), Notice: true}) })
	case "hangup":
		if c.HangUp == nil {
			return errUnknown
		}
		c.HangUp(who)
		return nil
	case "owner":
		if c.Owner == nil {
			return errUnknown
		}
		return c.Owner(who, form("does"))
	case "business":
		if c.Business == nil {
			return errUnknown
		}
		return c.Business(who, form("state"))
	case "template":
		if ws.Review == nil {
			return errUnknown
		}
		ws.Review.decide(form("name"), form("language"), form("answer") == "approve")
		return nil
	case "by-hand":
		if ws.Review == nil {
			return errUnknown
		}
		ws.Review.box.ReviewByHand(ws.Review.business, form("by_hand") == "on")
		return nil
	case "provider":
		p.mu.Lock()
		defer p.mu.Unlock()
		p.modes[form("provider")] = form("mode")
		return nil
	}
	return errUnknown
}

// callWords says how a call goes on, in both languages.
func callWords(state string) string {
	words := map[string]string{"ringing": "çalıyor · ringing", "answered": "yanıtlandı · answered", "ended": "bitti · ended"}[state]
	if words == "" {
		words = state
	}
	return "📞 " + words
}

// said does what the visitor says and keeps it.
func (p *Page) said(c Channel, person, text string, do func() (string, error)) error {
	id, err := do()
	if err == nil {
		p.Told(c.Account, person, Message{ID: id, Text: text, Mine: true})
	}
	return err
}

// number reads a message's name that is a number.
func number(id string) int64 {
	n, _ := strconv.ParseInt(id, 10, 64)
	return n
}
