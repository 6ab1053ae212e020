package helpcenter

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"konak/internal/crm/contact"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/kit/address"
)

// contactForm is the form as a visitor filled it in.
type contactForm struct {
	Name, Email, Subject, Message string
	// Trap is a field that people do not see: a sender who fills it in is a robot.
	Trap string
	// Token is the token of the form that was shown.
	Token string
}

const (
	maxLine    = 200    // characters
	maxMessage = 10_000 // characters
)

// isSeen reports whether a character is visible. Some letters and symbols are blank.
func isSeen(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !strings.ContainsRune("\u115f\u1160\u2800\u3164\uffa0", r)
}

// check trims the form and returns the error of each wrong field.
func (f *contactForm) check(w *siteWords) map[string]string {
	wrong := map[string]string{}
	for name, field := range map[string]*string{"name": &f.Name, "email": &f.Email, "subject": &f.Subject, "message": &f.Message} {
		text := strings.ToValidUTF8(strings.ReplaceAll(strings.TrimSpace(*field), "\x00", ""), "")
		if name == "name" && !strings.ContainsFunc(text, isSeen) {
			text = "" // an invisible name counts as missing
		}
		*field = text
		most := maxLine
		if name == "message" {
			most = maxMessage
		}
		switch {
		case text == "" && (name == "email" || name == "message"):
			wrong[name] = w.Required
		case utf8.RuneCountInString(text) > most:
			wrong[name] = w.TooLong
		}
	}
	if _, ok := address.ParseEmail(f.Email); !ok && wrong["email"] == "" {
		wrong["email"] = w.WrongEmail
	}
	return wrong
}

// contactPage returns the page with the form, what was entered, and its errors.
func (st *site) contactPage(language string, f contactForm, wrong map[string]string, notice string, thanked bool) *pageView {
	v := st.newView("contact", language, "/contact", st.set.Languages)
	v.Title, v.Notice, v.Thanked = v.W.Contact, notice, thanked
	v.Hidden = thanked || notice != ""
	st.homeCrumb(v)
	v.Token = f.Token
	v.Fields = []formField{
		{Name: "name", Label: v.W.Name, Type: "text", Complete: "name", Value: f.Name},
		{Name: "email", Label: v.W.Email, Type: "email", Complete: "email", Value: f.Email, Required: true},
		{Name: "subject", Label: v.W.Subject, Type: "text", Value: f.Subject},
		{Name: "message", Label: v.W.Message, Value: f.Message, Required: true},
	}
	for i := range v.Fields {
		if text := wrong[v.Fields[i].Name]; text != "" {
			v.Fields[i].Error = &fieldError{"e-" + v.Fields[i].Name, text}
		}
	}
	return v
}

// errFormUsed means that a different message was already sent with the form.
var errFormUsed = errors.New("helpcenter: the form was used")

// receive delivers a visitor's message: it begins a conversation of a new contact, whose
// address is only a claim. A form brings one message: sending it again changes nothing, and
// a different message with it returns errFormUsed.
func (s *Service) receive(ctx context.Context, st *site, language, ip string, form uuid.UUID, f contactForm) error {
	key := form.String()
	account := &st.owned.Account
	local, _, _ := strings.Cut(f.Email, "@")
	out, err := s.cfg.Inbound.Ingest(st.owned.Context(ctx, ip), inbound.Inbound{
		Channel: Name, Subject: f.Subject, Body: f.Message, AI: account.AI, GroupID: account.GroupID, ProviderMessageID: key,
		From: contact.Sender{
			Channel: Name, AccountID: account.ID, ExternalID: key, Name: cmp.Or(f.Name, local), Email: f.Email, Language: language,
			Unproven: true,
		},
	})
	if err == nil && out.Duplicate && out.Item.Body != f.Message {
		return errFormUsed
	}
	return err
}
