package whatsapp

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"math"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	wire "konak/internal/provider/whatsapp"
	"konak/internal/sandbox/meta"
)

const window = 24 * time.Hour

// unreachable is the ending of numbers that nobody has.
const unreachable = "0000"

func (s *Server) send(r *http.Request, b *Business, n *wire.PhoneNumber) (any, *meta.Refusal) {
	var m wire.Outgoing
	if err := body(r, &m); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.failures) > 0 {
		err := s.failures[0]
		s.failures = s.failures[1:]
		return nil, err
	}
	if m.Product != "whatsapp" {
		return nil, parameter("messaging_product must be whatsapp")
	}
	if n.Platform == unregistered {
		return nil, refuse(400, 133010, 0, "OAuthException", "(#133010) Account not registered", "")
	}
	if m.Status == "read" {
		s.read = append(s.read, m.MessageID)
		return wire.Success{Success: true}, nil
	}
	to := digits(m.To)
	if m.Recipient != "" && m.To == "" {
		to = m.Recipient
	}
	if len(to) < 7 {
		return nil, parameter("to is not a phone number")
	}
	if err := s.checkMessage(b, &m); err != nil {
		return nil, err
	}
	if m.Type == "interactive" && m.Interactive.Type == callQuestion {
		if err := s.askForCalls(n.ID, to); err != nil {
			return nil, err
		}
	}
	id := "wamid." + base64.StdEncoding.EncodeToString([]byte(to+"/"+s.id()))
	s.sent = append(s.sent, Message{ID: id, NumberID: n.ID, Outgoing: m})
	if s.OnSent != nil {
		s.OnSent(Message{ID: id, NumberID: n.ID, Outgoing: m}, to)
	}
	s.reportAll(b, n, to, id, &m)
	return wire.Accepted{
		Product: "whatsapp", Contacts: []wire.AcceptedContact{{Input: cmp.Or(m.To, m.Recipient), WaID: to}},
		Messages: []wire.AcceptedMessage{{ID: id, Status: "accepted"}},
	}, nil
}

// checkMessage refuses what Meta refuses at once.
func (s *Server) checkMessage(b *Business, m *wire.Outgoing) *meta.Refusal {
	media := map[string]*wire.Media{"image": m.Image, "video": m.Video, "audio": m.Audio, "document": m.Document, "sticker": m.Sticker}
	if f, is := media[m.Type]; is {
		switch {
		case f == nil || (f.ID == "") == (f.Link == ""):
			return parameter(m.Type + " needs an id or a link")
		case f.ID != "" && (s.files[f.ID] == nil || s.files[f.ID].token != b.Token):
			return parameter("media id " + f.ID + " does not exist")
		}
		return nil
	}
	switch m.Type {
	case "", "text":
		if m.Text == nil || strings.TrimSpace(m.Text.Body) == "" {
			return parameter("text.body is required")
		}
		if utf8.RuneCountInString(m.Text.Body) > 4096 {
			return parameter("text.body is longer than 4096 characters")
		}
	case "reaction":
		if m.Reaction == nil || m.Reaction.MessageID == "" {
			return parameter("reaction.message_id is required")
		}
	case "template":
		return checkTemplate(b, m.Template)
	case "interactive":
		return checkQuestion(m.Interactive)
	case "location":
		if m.Location == nil || math.Abs(m.Location.Latitude) > 90 || math.Abs(m.Location.Longitude) > 180 {
			return parameter("location.latitude and location.longitude are required")
		}
	case "contacts":
		if len(m.Contacts) == 0 || slices.ContainsFunc(m.Contacts, func(c wire.Card) bool { return c.Name.Formatted == "" }) {
			return parameter("contacts[].name.formatted_name is required")
		}
	default:
		return parameter("type " + m.Type + " is unknown")
	}
	return nil
}

// callQuestion is the type of a request for permission to call.
const callQuestion = "call_permission_request"

// checkQuestion refuses a question that lacks what its type needs.
func checkQuestion(q *wire.Question) *meta.Refusal {
	switch {
	case q == nil:
		return parameter("interactive is required")
	case q.Type == callQuestion && q.Action.Name != q.Type:
		return parameter("interactive.action.name is required")
	case q.Type == "button" && (len(q.Action.Buttons) == 0 || len(q.Action.Buttons) > 3):
		return parameter("interactive.action.buttons must be one to three")
	case q.Type == "list" && (q.Action.Button == "" || len(q.Action.Sections) == 0):
		return parameter("interactive.action.button and sections are required")
	case q.Type != callQuestion && q.Type != "button" && q.Type != "list":
		return parameter("interactive.type is unknown")
	case q.Body.Text == "":
		return parameter("interactive.body.text is required")
	}
	return nil
}

func checkTemplate(b *Business, t *wire.Template) *meta.Refusal {
	if t == nil || t.Name == "" || t.Language.Code == "" {
		return parameter("template.name and template.language.code are required")
	}
	i := slices.IndexFunc(b.Templates, func(k *wire.TemplateRecord) bool { return k.Name == t.Name && k.Language == t.Language.Code })
	if i < 0 {
		return refuse(404, 132001, 0, "OAuthException", "(#132001) Template name does not exist in the translation", "template name ("+t.Name+") does not exist in "+t.Language.Code)
	}
	switch k := b.Templates[i]; k.Status {
	case "APPROVED", "FLAGGED":
		return checkParameters(k, t)
	case "PAUSED":
		return refuse(400, 132015, 0, "OAuthException", "(#132015) Template is Paused", "")
	case "DISABLED":
		return refuse(400, 132016, 0, "OAuthException", "(#132016) Template is Disabled", "")
	default:
		return refuse(404, 132001, 0, "OAuthException", "(#132001) Template name does not exist in the translation", "template is "+k.Status)
	}
}

var placeholder = regexp.MustCompile(`\{\{\s*[^{}]+?\s*\}\}`)

func count(text string) int {
	found := placeholder.FindAllString(text, -1)
	slices.Sort(found)
	return len(slices.Compact(found))
}

// checkParameters counts the values of each part.
func checkParameters(k *wire.TemplateRecord, t *wire.Template) *meta.Refusal {
	want := map[string]int{}
	for _, c := range k.Components {
		switch kind := strings.ToLower(c.Type); {
		case kind == "header" && !strings.EqualFold(c.Format, "TEXT"):
			want[kind] = 1
		case kind == "body" && k.Category == "AUTHENTICATION":
			want[kind] = 1
		case kind == "header" || kind == "body":
			want[kind] = count(c.Text)
		}
	}
	got := map[string]int{}
	for _, c := range t.Components {
		got[strings.ToLower(c.Type)] += len(c.Parameters)
	}
	for _, kind := range []string{"header", "body"} {
		if got[kind] != want[kind] {
			return refuse(400, 132000, 0, "OAuthException", "(#132000) Number of parameters does not match the expected number of params",
				kind+": number of localizable_params ("+strconv.Itoa(got[kind])+") does not match the expected number of params ("+strconv.Itoa(want[kind])+")")
		}
	}
	return nil
}

// reportAll posts the delivery reports of a message; the caller holds the lock.
func (s *Server) reportAll(b *Business, n *wire.PhoneNumber, to, id string, m *wire.Outgoing) {
	if m.Type == "reaction" {
		return
	}
	at := strconv.FormatInt(s.clock.Now().Unix(), 10)
	last, wrote := b.Wrote[n.ID+"/"+to]
	open := wrote && s.clock.Now().Before(last.Add(window))
	report := wire.Report{ID: id, Status: "failed", Timestamp: at, Recipient: to, Mark: m.Mark}
	switch {
	case strings.HasSuffix(to, unreachable):
		report.Errors = []wire.Error{{Code: 131026, Title: "Message undeliverable", Message: "Message undeliverable", Data: &wire.ErrorData{Details: "Message Undeliverable."}}}
	case m.Type != "template" && !open:
		report.Errors = []wire.Error{{Code: 131047, Title: "Re-engagement message", Message: "Re-engagement message", Data: &wire.ErrorData{
			Details: "Message failed to send because more than 24 hours have passed since the customer last replied to this number.",
		}}}
	default:
		for _, status := range []string{"sent", "delivered"} {
			report.Status = status
			s.postChange(b, "messages", wire.Messages{Product: "whatsapp", Metadata: metadata(n), Statuses: []wire.Report{report}})
		}
		return
	}
	s.postChange(b, "messages", wire.Messages{Product: "whatsapp", Metadata: metadata(n), Statuses: []wire.Report{report}})
}

func metadata(n *wire.PhoneNumber) wire.Metadata {
	return wire.Metadata{Display: digits(n.Display), NumberID: n.ID}
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

func (s *Server) storeFile(r *http.Request, b *Business) (any, *meta.Refusal) {
	f := &file{token: b.Token}
	product := r.URL.Query().Get("messaging_product")
	err := meta.ReadForm(r, func(part *multipart.Part, content []byte) error {
		switch part.FormName() {
		case "messaging_product":
			product = string(content)
		case "type":
			f.kind = string(content)
		case "file":
			f.content, f.kind = content, cmp.Or(f.kind, part.Header.Get("Content-Type"))
		}
		return nil
	})
	if err != nil {
		return nil, parameter(err.Error())
	}
	if product != "whatsapp" || f.kind == "" || len(f.content) == 0 {
		return nil, parameter("messaging_product, type and file are required")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.id()
	s.files[id] = f
	return wire.ID{ID: id}, nil
}

func (s *Server) mediaInfo(r *http.Request, id, token string) (any, *meta.Refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[id]
	if f == nil || f.token != token {
		return nil, missing(id)
	}
	sum := sha256.Sum256(f.content)
	return wire.MediaInfo{
		Product: "whatsapp", URL: "http://" + r.Host + "/sandbox/media/" + url.PathEscape(id), MimeType: f.kind,
		SHA256: hex.EncodeToString(sum[:]), Size: int64(len(f.content)), ID: id,
	}, nil
}

func (s *Server) serveFile(w http.ResponseWriter, r *http.Request, id string) *meta.Refusal {
	s.mu.Lock()
	f := s.files[id]
	s.mu.Unlock()
	if f == nil || f.token != s.tokenFor(id, meta.Bearer(r)) {
		return refuse(404, 100, 33, "GraphMethodException", "Media not found", "")
	}
	w.Header().Set("Content-Type", f.kind)
	_, _ = w.Write(f.content)
	return nil
}
