package helpcenter

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/text/language"

	"konak/internal/kit/api"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

const (
	siteTimeout = 10 * time.Second
	maxForm     = 64 << 10 // bytes of a form

	// sitePolicy lets a page load its own style and pictures, but no scripts.
	sitePolicy = "default-src 'none'; style-src 'self'; img-src 'self' https:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

	cachePages  = "public, max-age=60"
	cacheForGet = "public, max-age=31536000, immutable"
	cacheNone   = "no-store"
)

// Site serves the public sites, each on its own host.
func (s *Service) Site() http.Handler { return http.HandlerFunc(s.serveSite) }

// visit is one request of a visitor.
type visit struct {
	w    http.ResponseWriter
	r    *http.Request
	st   *site
	lang string
}

func (s *Service) serveSite(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), siteTimeout)
	defer cancel()
	r = r.WithContext(ctx)
	w.Header().Set("Content-Security-Policy", sitePolicy)
	st, err := s.openSite(ctx, api.HostSlug(ctx))
	if err != nil {
		(&visit{w: w, r: r, lang: "en"}).refuse(err)
		return
	}
	v := &visit{w: w, r: r, st: st, lang: st.set.DefaultLanguage}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		err = s.get(v)
	case http.MethodPost:
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		err = s.post(v)
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		err = fault.New(fault.MethodNotAllowed)
	}
	if err != nil {
		v.refuse(err)
	}
}

// splitPath splits /{language}/{rest} and sets the visit's language. It returns false if
// the site does not have the language.
func (v *visit) splitPath() (rest string, ok bool) {
	first, rest, _ := strings.Cut(strings.TrimPrefix(v.r.URL.Path, "/"), "/")
	if !v.st.hasLanguage(first) {
		return "", false
	}
	v.lang = first
	return rest, true
}

// get answers GET requests. Pages come from memory as long as the site's revision is
// unchanged.
func (s *Service) get(v *visit) error {
	path := v.r.URL.Path
	switch path {
	case "/":
		return v.chooseLanguage()
	case logoPath:
		return s.sendLogo(v)
	case "/style.css":
		return v.send(v.st.style(), cacheForGet, http.StatusOK)
	case "/robots.txt":
		return v.send(newPage("text/plain; charset=utf-8", []byte("User-agent: *\nDisallow: /*/search\nSitemap: "+v.st.url+"/sitemap.xml\n")), cachePages, http.StatusOK)
	}
	rest, ok := v.splitPath()
	if !ok && path != "/sitemap.xml" {
		return fault.New(fault.NotFound)
	}
	if rest == "search" {
		return s.search(v)
	}
	thanked := v.r.URL.Query().Has("thanks")
	if rest == "contact" && v.st.set.ContactForm && !thanked {
		return s.sendForm(v, contactForm{}, nil, "", http.StatusOK)
	}
	key := pageKey{v.st.owned.TenantID, v.st.revision, path}
	if thanked {
		key.path += "?thanks"
	}
	if p, ok := s.pages.Get(key); ok {
		return v.send(p, cachePages, http.StatusOK)
	}
	p, err := s.makePage(v, rest, thanked)
	if err != nil || p == nil {
		return err
	}
	s.pages.Set(key, p)
	return v.send(p, cachePages, http.StatusOK)
}

// makePage builds the page of an address; nil if it redirected the visitor.
func (s *Service) makePage(v *visit, rest string, thanked bool) (*page, error) {
	st := v.st
	kind, name, _ := strings.Cut(rest, "/")
	switch {
	case v.r.URL.Path == "/sitemap.xml":
		return st.sitemap()
	case rest == "":
		return st.homePage(v.lang).render()
	case rest == "feed.xml":
		return st.feed(v.lang)
	case rest == "contact" && st.set.ContactForm && thanked:
		return st.contactPage(v.lang, contactForm{}, nil, "", thanked).render()
	case kind == "c":
		view, err := st.categoryPage(v.lang, name)
		if err != nil {
			return nil, err
		}
		return view.render()
	case kind == "a":
		t, err := v.findText(name)
		if err != nil {
			return nil, err
		}
		if right := articlePath(t.language, t.id, t.title); right != v.r.URL.Path {
			v.redirect(right, http.StatusMovedPermanently)
			return nil, nil
		}
		view, err := s.articlePage(v.r.Context(), st, t, thanked)
		if err != nil {
			return nil, err
		}
		return view.render()
	}
	return nil, fault.New(fault.NotFound)
}

// findText returns the text named by the id in an address: {id}-{words}.
func (v *visit) findText(name string) (*publicText, error) {
	if len(name) < 36 {
		return nil, fault.New(fault.NotFound)
	}
	id, err := uuid.Parse(name[:36])
	t := v.st.byID[textKey{id, v.lang}]
	if err != nil || t == nil || strings.Contains(name, "/") {
		return nil, fault.New(fault.NotFound)
	}
	return t, nil
}

// search answers a search. Searches are limited per IP address, and their pages are not
// cached.
func (s *Service) search(v *visit) error {
	q := strings.TrimSpace(v.r.URL.Query().Get("q"))
	hits := []Hit{}
	if q != "" {
		if err := api.TakeLimits(v.r.Context(), s.cfg.Limits, searchesOfAddress.By(ipKey(v.r))); err != nil {
			return err
		}
		var err error
		if hits, _, err = s.find(v.r.Context(), v.st, v.lang, q, "", maxHits); err != nil {
			return err
		}
	}
	p, err := v.st.searchPage(v.lang, q, hits).render()
	if err != nil {
		return err
	}
	return v.send(p, cacheNone, http.StatusOK)
}

// chooseLanguage redirects to the home page in the language that the visitor's browser
// prefers.
func (v *visit) chooseLanguage() error {
	tags := make([]language.Tag, len(v.st.set.Languages))
	at := 0
	for i, l := range v.st.set.Languages {
		tags[i] = language.Make(l)
		if l == v.st.set.DefaultLanguage {
			at = i
		}
	}
	tags[0], tags[at] = tags[at], tags[0] // the first is used if none matches
	_, i := language.MatchStrings(language.NewMatcher(tags), v.r.Header.Get("Accept-Language"))
	base, _ := tags[i].Base()
	v.w.Header().Set("Vary", "Accept-Language")
	v.w.Header().Set("Cache-Control", cachePages)
	v.redirect("/"+base.String(), http.StatusFound)
	return nil
}

func (s *Service) sendLogo(v *visit) error {
	l, err := db.Read(v.r.Context(), s.cfg.DB.Tenant(v.st.owned.TenantID), func(r *db.Reader) (logo, error) {
		l, err := readLogo(r)
		return l, db.NotFound(err)
	})
	if err != nil {
		return err
	}
	return v.send(newPage(l.kind, l.content), cachePages, http.StatusOK)
}

// send sends a page, or 304 if the visitor already has it.
func (v *visit) send(p *page, cache string, status int) error {
	h := v.w.Header()
	h.Set("Cache-Control", cache)
	if status == http.StatusOK && cache != cacheNone {
		h.Set("ETag", p.tag)
		if strings.Contains(v.r.Header.Get("If-None-Match"), p.tag) {
			v.w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	h.Set("Content-Type", p.kind)
	h.Set("Content-Length", strconv.Itoa(len(p.body)))
	v.w.WriteHeader(status)
	_, _ = v.w.Write(p.body) // the visitor may be gone
	return nil
}

// redirect redirects to a path of the same site.
func (v *visit) redirect(path string, status int) {
	v.w.Header().Set("Location", (&url.URL{Path: path}).EscapedPath())
	v.w.WriteHeader(status)
}

// refuse sends an error as a page in the visitor's language.
func (v *visit) refuse(err error) {
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		err = fault.New(fault.BodyTooLarge, maxForm)
	}
	f := api.FaultOf(v.r.Context(), err)
	api.SetRetryAfter(v.w, f)
	status, w := f.Code.Status(), wordsIn(v.lang)
	title, text := http.StatusText(status), w.Unavailable
	switch status {
	case http.StatusNotFound:
		title, text = w.NotFound, w.NotFoundText
	case http.StatusTooManyRequests:
		text = w.Busy
	case http.StatusRequestEntityTooLarge:
		text = w.TooLong
	}
	if v.st == nil {
		v.w.Header().Set("Cache-Control", cacheNone)
		http.Error(v.w, text, status)
		return
	}
	p, err := v.st.noticePage(v.lang, title, text).render()
	if err != nil {
		http.Error(v.w, text, api.FaultOf(v.r.Context(), err).Code.Status())
		return
	}
	_ = v.send(p, cacheNone, status)
}
