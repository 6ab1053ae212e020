package customer

import (
	"cmp"
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

// Person is the customer that the visitor plays. Everybody with the same name is the same
// person.
type Person struct{ Name string }

// Number returns the person's phone number, the same on every channel.
func (p Person) Number() int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(strings.ToLower(p.Name)))
	return 1_000_000 + int64(h.Sum32())%9_000_000
}

// Channel is a channel of a workspace. Functions that it does not support are nil.
type Channel struct {
	Kind, Name, Account string
	// ID returns the person's id on the channel.
	ID func(Person) string
	// Write and Picture return the channel's name for the message.
	Write   func(p Person, text string) (string, error)
	Picture func(p Person, content []byte) (string, error)
	// More are other things that the person can send.
	More []Sending
	// Lacks says in both languages what the channel does not support.
	Lacks []string
	// Seen returns how the business sees the person on the channel.
	Seen func(Person) string
	// React adds a reaction to a message of the business.
	React  func(p Person, message, emoji string) error
	Edit   func(p Person, message, text string) error
	Delete func(p Person, message string) error
	// AnswerCall agrees to be called, or refuses.
	AnswerCall func(p Person, agrees bool) error
	// Call calls the business, and reports the call's state: "ringing", "answered",
	// "ended", or why it could not be made.
	Call func(p Person, tell func(state string)) error
	// Business connects the company's bot to the person's own account, stops it from
	// answering there, or disconnects it.
	Business func(p Person, state string) error
	// Owner is what the owner of the number does in the app on their phone.
	Owner func(p Person, does string) error
	// HangUp ends the person's calls.
	HangUp func(p Person)
}

// Sending is something that the person can send with one button.
type Sending struct {
	Name string
	// Words are the text of the button, Shown is the text shown for the message in the
	// conversation.
	Words, Shown string
	Send         func(Person) (string, error)
}

// Workspace is a workspace of the demo.
type Workspace struct {
	Slug, Name string
	Channels   []Channel
	// Review reviews its templates; nil if it has none.
	Review *Review
}

// Message is one between the visitor and the business.
type Message struct {
	ID, Text string
	// Mine reports that the visitor wrote it.
	Mine, Edited, Deleted bool
	// Notice reports that nobody wrote it: it tells the state of a call.
	Notice   bool
	Reaction string
}

// Page is the page with its conversations.
type Page struct {
	workspaces []Workspace

	mu    sync.Mutex
	log   map[string][]*Message // by account and the person's id there
	modes map[string]string     // by provider
}

// logMax is the number of messages kept per conversation.
const logMax = 200

// NewPage returns a page without workspaces; Add adds them.
func NewPage() *Page { return &Page{log: map[string][]*Message{}, modes: map[string]string{}} }

// Add adds a workspace. It must be called before the page is served.
func (p *Page) Add(w Workspace) {
	p.workspaces = append(p.workspaces, w)
	slices.SortFunc(p.workspaces, func(a, b Workspace) int { return -strings.Compare(a.Slug, b.Slug) })
}

// Told records what a business sent to a person on an account.
func (p *Page) Told(account, person string, m Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := account + "/" + person
	p.log[key] = append(p.log[key], &m)
	if len(p.log[key]) > logMax {
		p.log[key] = p.log[key][1:]
	}
}

// change changes a recorded message.
func (p *Page) change(account, person, id string, fn func(*Message)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.log[account+"/"+person] {
		if m.ID == id {
			fn(m)
		}
	}
}

// messages returns a conversation, oldest first.
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

// Guard makes a provider misbehave as chosen on the page; otherwise it answers normally.
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

// fail answers in a form that the clients of both providers can read.
func fail(w http.ResponseWriter, status, code int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"ok":false,"error_code":%d,"description":"the customer's page of the demo makes this provider fail","parameters":{"retry_after":30},"error":{"code":%d,"message":"the customer's page of the demo makes this provider fail"}}`, status, code)
}

// ErrNoNumber is returned if the workspace has no telephone number yet.
var ErrNoNumber = errors.New("the workspace has no number")

// errUnknown is returned if the channel does not support what the visitor asked for.
var errUnknown = errors.New("the channel cannot do this")

// errNoPicture is returned if the visitor chose another kind of file.
var errNoPicture = errors.New("the file is not a picture")

// act carries out what the visitor asked for.
func (p *Page) act(ws Workspace, c Channel, who Person, form formValues) error {
	possible := map[string]bool{
		"write": c.Write != nil, "picture": c.Picture != nil, "more": true, "react": c.React != nil, "edit": c.Edit != nil, "delete": c.Delete != nil,
		"call": c.AnswerCall != nil, "dial": c.Call != nil, "hangup": c.HangUp != nil, "owner": c.Owner != nil, "business": c.Business != nil,
		"template": ws.Review != nil, "by-hand": ws.Review != nil, "provider": true,
	}
	if !possible[form("act")] {
		return errUnknown
	}
	id, message := c.ID(who), form("message")
	switch form("act") {
	case "write":
		text := strings.TrimSpace(form("text"))
		if text == "" {
			return nil
		}
		return p.sendAndRecord(c, id, text, func() (string, error) { return c.Write(who, text) })
	case "picture":
		content := []byte(form("file"))
		if len(content) > 0 && pictureType(content) == "" {
			return errNoPicture
		}
		return p.sendAndRecord(c, id, "🖼", func() (string, error) { return c.Picture(who, content) })
	case "more":
		for _, m := range c.More {
			if m.Name == form("what") {
				return p.sendAndRecord(c, id, m.Shown, func() (string, error) { return m.Send(who) })
			}
		}
		return errUnknown
	case "react":
		err := c.React(who, message, form("emoji"))
		if err == nil {
			p.change(c.Account, id, message, func(m *Message) { m.Reaction = form("emoji") })
		}
		return err
	case "edit":
		err := c.Edit(who, message, form("text"))
		if err == nil {
			p.change(c.Account, id, message, func(m *Message) { m.Text, m.Edited = form("text"), true })
		}
		return err
	case "delete":
		err := c.Delete(who, message)
		if err == nil {
			p.change(c.Account, id, message, func(m *Message) { m.Deleted = true })
		}
		return err
	case "call":
		return c.AnswerCall(who, form("answer") == "agree")
	case "dial":
		return c.Call(who, func(state string) { p.Told(c.Account, id, Message{Text: callWords(state), Notice: true}) })
	case "hangup":
		c.HangUp(who)
		return nil
	case "owner":
		return c.Owner(who, form("does"))
	case "business":
		return c.Business(who, form("state"))
	case "template":
		ws.Review.decide(form("name"), form("language"), form("answer") == "approve")
		return nil
	case "by-hand":
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

// callWords describes the state of a call, in both languages.
func callWords(state string) string {
	words := map[string]string{"ringing": "çalıyor · ringing", "answered": "yanıtlandı · answered", "ended": "bitti · ended"}[state]
	return "📞 " + cmp.Or(words, state)
}

// sendAndRecord sends what the visitor says and records it.
func (p *Page) sendAndRecord(c Channel, person, text string, do func() (string, error)) error {
	id, err := do()
	if err == nil {
		p.Told(c.Account, person, Message{ID: id, Text: text, Mine: true})
	}
	return err
}

// number parses a message name that is a number.
func number(id string) int64 {
	n, _ := strconv.ParseInt(id, 10, 64)
	return n
}
