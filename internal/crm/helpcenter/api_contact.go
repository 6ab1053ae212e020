package helpcenter

import (
	"errors"
	"net/http"
	"strings"

	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/limit"
)

func ipKey(r *http.Request) limit.Key { return limit.OfIP(api.ClientIP(r.Context())) }

// post handles what visitors send: a message, or a vote on an article.
func (s *Service) post(v *visit) error {
	rest, ok := v.splitPath()
	if !ok {
		return fault.New(fault.NotFound)
	}
	if name, isVote := strings.CutSuffix(rest, "/feedback"); isVote && strings.HasPrefix(name, "a/") {
		return s.takeVote(v, name[2:])
	}
	if rest == "contact" && v.st.set.ContactForm {
		return s.takeMessage(v)
	}
	return fault.New(fault.NotFound)
}

// takeVote counts a vote on whether an article helped, once a day per IP address. A
// repeated vote gets the same thanks but is not counted.
func (s *Service) takeVote(v *visit, name string) error {
	t, err := v.findText(name)
	if err != nil {
		return err
	}
	if err := v.r.ParseForm(); err != nil {
		return err
	}
	answer, ctx, ip := v.r.PostForm.Get("helpful"), v.r.Context(), api.ClientIP(v.r.Context())
	if answer != "yes" && answer != "no" {
		return fault.Invalid("helpful", "required")
	}
	if err := api.TakeLimits(ctx, s.cfg.Limits, votesOfAddress.By(ipKey(v.r))); err != nil {
		return err
	}
	if api.TakeLimits(ctx, s.cfg.Limits, votesOnText.By(limit.OfText(ip+" "+t.language+" "+t.id.String()))) == nil {
		if err := s.cfg.DB.Tenant(v.st.owned.TenantID).InTx(ctx, func(tx *db.Tx) error {
			_, err := addVote(tx, t.id, t.language, answer == "yes")
			return err
		}); err != nil {
			return err
		}
	}
	v.leadBack(articlePath(t.language, t.id, t.title))
	return nil
}

// leadBack redirects the browser to a page that says thanks, so that reloading sends
// nothing again.
func (v *visit) leadBack(path string) {
	v.w.Header().Set("Location", path+"?thanks")
	v.w.Header().Set("Cache-Control", cacheNone)
	v.w.WriteHeader(http.StatusSeeOther)
}

// takeMessage delivers a visitor's message to the inbox. Only messages that pass the check
// count against the limits.
func (s *Service) takeMessage(v *visit) error {
	if err := v.r.ParseForm(); err != nil {
		return err
	}
	form := v.r.PostForm
	f := contactForm{
		Name: form.Get("name"), Email: form.Get("email"), Subject: form.Get("subject"), Message: form.Get("message"), Trap: form.Get("website"),
		Token: form.Get("form"),
	}
	ctx, words := v.r.Context(), wordsIn(v.lang)
	if wrong := f.check(words); len(wrong) > 0 {
		return s.sendForm(v, f, wrong, words.Wrong, http.StatusUnprocessableEntity)
	}
	if f.Trap == "" {
		id, age, ok := s.readFormToken(v.st.owned.TenantID, f.Token)
		if !ok || age < minFormAge || age > maxFormAge {
			return s.sendForm(v, f, nil, words.Again, http.StatusUnprocessableEntity)
		}
		err := api.TakeLimits(ctx, s.cfg.Limits, messagesOfAddress.By(ipKey(v.r)), messagesADay.By(ipKey(v.r)), messagesOfWorkspace.By(limit.Key(v.st.owned.TenantID)))
		if limited, ok := fault.As(err); ok {
			api.SetRetryAfter(v.w, limited)
			return s.sendForm(v, f, nil, words.Busy, http.StatusTooManyRequests)
		}
		if err != nil {
			return err
		}
		err = s.receive(ctx, v.st, v.lang, api.ClientIP(ctx), id, f)
		if errors.Is(err, errFormUsed) {
			f.Token = ""
			return s.sendForm(v, f, nil, words.Again, http.StatusConflict)
		}
		if err != nil {
			return err
		}
	}
	v.leadBack("/" + v.lang + "/contact")
	return nil
}

// sendForm shows the form with what the visitor entered, so that nothing is lost. It keeps
// the form's token if that can still be used, so that the visitor need not wait again. The
// page is never cached, since each form is sent only once.
func (s *Service) sendForm(v *visit, f contactForm, wrong map[string]string, notice string, status int) error {
	if _, age, ok := s.readFormToken(v.st.owned.TenantID, f.Token); !ok || age > maxFormAge {
		f.Token = s.newFormToken(v.st.owned.TenantID)
	}
	p, err := v.st.contactPage(v.lang, f, wrong, notice, false).render()
	if err != nil {
		return err
	}
	return v.send(p, cacheNone, status)
}
