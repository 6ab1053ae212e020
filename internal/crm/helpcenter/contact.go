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

// contactForm is what a visitor wrote.
type contactForm struct {
	Name, Email, Subject, Message string
	// Trap is a field that no person sees: whoever fills it in is a robot.
	Trap string
	// Token is of the form that was shown.
	Token string
}

const (
	maxLine    = 200    // characters
	maxMessage = 10_000 // characters
)

// isSeen says whether a character shows something. Some letters and signs are blank.
func isSeen(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !strings.ContainsRune("\u115f\u1160\u2800\u3164\uffa0", r)
}

// check trims the form and says what is wrong with each field.
func (f *contactForm) check(w *siteWords) map[string]string {
	wrong := map[string]string{}
	for name, field := range map[string]*string{"name": &f.Name, "email": &f.Email, "subject": &f.Subject, "message": &f.Message} {
		text := strings.ToValidUTF8(strings.ReplaceAll(strings.TrimSpace(*field), "\x00", ""), "")
		if name == "name" && !strings.ContainsFunc(text, isSeen) {
			text = "" // a name that shows nothing is none
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

// contactPage is the form, with what was written and what is wrong with it.
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

// errFormUsed says that another message was sent with the form before.
var errFormUsed = errors.New("helpcenter: the form was used")

// receive brings in what a visitor wrote: a conversation of a contact of its
// own, whose address is a claim. A form brings one message: sent twice it is the same
// one, and other words in it give errFormUsed.
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
