package customer

import (
	"cmp"
	"embed"
	"errors"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"strings"

	"konak/internal/sandbox/whatsapp"
)

//go:embed page.html page.js page.css
var files embed.FS

var pages = template.Must(template.New("").ParseFS(files, "page.html"))

// Path is the path of the page.
const Path = "/demo/customer"

// policy lets the page load its own script and style and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

const maxUpload = 4 << 20

type formValues func(name string) string

// view is what the page shows.
type view struct {
	Workspaces []Workspace
	Workspace  Workspace
	Channel    Channel
	Who        Person
	Seen       string // how the business sees the visitor
	Query      template.URL
	Messages   []Message
	Providers  []providerView
	Modes      []string
	Signs      []string
	Failed     string
}

// failures are the page's messages by the code in its address, so that a made-up link
// cannot show other words.
var failures = map[string]string{
	"cannot":     "Bu kanal bunu yapamıyor. · The channel cannot do this.",
	"no_calls":   "İşletme aramalara kapalı. · The business takes no calls.",
	"no_picture": "Bu dosya bir resim değil; bir PNG ya da JPEG seçin. · This file is no picture; choose a PNG or a JPEG.",
	"no_number":  "Önce bir numara satın alın. · Buy a number first: /settings/phone-numbers",
	"refused":    "Çalışma alanı bunu kabul etmedi. · The workspace did not take this.",
}

// failureCode returns the code of an error.
func failureCode(err error) string {
	switch {
	case errors.Is(err, errUnknown):
		return "cannot"
	case errors.Is(err, whatsapp.ErrNoCalls):
		return "no_calls"
	case errors.Is(err, errNoPicture):
		return "no_picture"
	case errors.Is(err, ErrNoNumber):
		return "no_number"
	}
	return "refused"
}

type providerView struct{ Name, Mode string }

// ServeHTTP implements http.Handler. Requests that change something must come from the page
// itself.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	w.Header().Set("Content-Security-Policy", policy)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "same-origin")
	switch name := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, Path), "/"); {
	case name == "page.js" || name == "page.css":
		http.ServeFileFS(w, r, files, name)
	case name == "log" && r.Method == http.MethodGet:
		p.show(w, "log", p.view(r.URL.Query()))
	case name != "":
		http.NotFound(w, r)
	case r.Method == http.MethodPost:
		p.post(w, r)
	default:
		p.show(w, "page", p.view(r.URL.Query()))
	}
}

func (p *Page) show(w http.ResponseWriter, name string, v view) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if err := pages.ExecuteTemplate(w, name, v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// view returns what a query selects: a workspace, one of its channels and the visitor's
// name. Missing parts are the first of each.
func (p *Page) view(q url.Values) view {
	v := view{
		Workspaces: p.workspaces, Who: Person{cmp.Or(strings.TrimSpace(q.Get("name")), "Deniz Müşteri")}, Modes: []string{"", ModeSlow, ModeFull, ModeBroken},
		Signs: []string{"❤️", "👍", "👎", "😮", "😢"}, Failed: failures[q.Get("failed")],
	}
	for i, ws := range p.workspaces {
		if i == 0 || ws.Slug == q.Get("workspace") {
			v.Workspace = ws
		}
	}
	for i, c := range v.Workspace.Channels {
		if i == 0 || c.Kind == q.Get("channel") {
			v.Channel = c
		}
	}
	v.Query = template.URL(v.query().Encode()) //nolint:gosec // it was encoded here
	if v.Channel.ID != nil {
		v.Messages = p.messages(v.Channel.Account, v.Channel.ID(v.Who))
	}
	if v.Channel.Seen != nil {
		v.Seen = v.Channel.Seen(v.Who)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, name := range []string{Meta, Telegram, App} {
		v.Providers = append(v.Providers, providerView{name, p.modes[name]})
	}
	return v
}

func (v *view) query() url.Values {
	return url.Values{"workspace": {v.Workspace.Slug}, "channel": {v.Channel.Kind}, "name": {v.Who.Name}}
}

// post does what a form asks for and redirects to the page.
func (p *Page) post(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxUpload)
	if err := r.ParseMultipartForm(maxUpload); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	values := func(name string) string {
		if name != "file" {
			return r.PostFormValue(name)
		}
		f, _, err := r.FormFile("file")
		if err != nil {
			return ""
		}
		defer func() { _ = f.Close() }()
		text, err := io.ReadAll(f)
		if err != nil {
			return ""
		}
		return string(text)
	}
	v := p.view(r.URL.Query())
	if v.Channel.ID == nil {
		http.NotFound(w, r)
		return
	}
	back := v.query()
	if err := p.act(v.Workspace, v.Channel, v.Who, values); err != nil {
		back.Set("failed", failureCode(err))
	}
	http.Redirect(w, r, Path+"?"+back.Encode(), http.StatusSeeOther)
}
