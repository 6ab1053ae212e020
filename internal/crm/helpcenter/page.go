package helpcenter

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/xml"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/helpcenter/markup"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

//go:embed site
var siteFiles embed.FS

var (
	pageTemplate = template.Must(template.ParseFS(siteFiles, "site/page.html"))
	styleSheet   = readStyle()
)

func readStyle() string {
	b, err := siteFiles.ReadFile("site/style.css")
	if err != nil {
		panic("helpcenter: the embedded style sheet: " + err.Error())
	}
	return string(b)
}

// logoPath is the path of the site's logo.
const logoPath = "/logo"

// page is a response of the site that can be cached.
type page struct {
	kind string
	body []byte
	tag  string
}

type pageKey struct {
	tenant   uuid.UUID
	revision int64
	path     string
}

func newPage(kind string, body []byte) *page {
	sum := sha256.Sum256(body)
	return &page{kind: kind, body: body, tag: `"` + hex.EncodeToString(sum[:12]) + `"`}
}

const (
	htmlType = "text/html; charset=utf-8"
	xmlType  = "application/xml; charset=utf-8"
)

// pageLink is a link to another page.
type pageLink struct {
	Title, Text, URL, Language string
	Count                      int
}

// fieldError is the error of a field, with the id of its element.
type fieldError struct{ ID, Text string }

// formField is a field of the contact form.
type formField struct {
	Name, Label, Type, Complete, Value string
	Required                           bool
	Error                              *fieldError
}

// foundText is a hit on the search page.
type foundText struct {
	Title, URL string
	Snippet    template.HTML
}

// pageView is the template's data.
type pageView struct {
	W                                    *siteWords
	Kind, Language, SiteTitle, Title     string
	Description, Canonical, Style, Query string
	Path, Updated, Notice, Logo, Token   string
	Previous, Next                       string
	HasLogo, HasContact, Hidden, Thanked bool
	Alternates, Languages, Crumbs        []pageLink
	Categories, Links                    []pageLink
	Body                                 template.HTML
	Found                                []foundText
	Fields                               []formField
}

// newView returns a page of a kind. Its path below the language is rest, and it exists in
// the given languages.
func (st *site) newView(kind, language, rest string, languages []string) *pageView {
	v := &pageView{
		W: wordsIn(language), Kind: kind, Language: language, SiteTitle: st.set.Title, Canonical: st.url + "/" + language + rest,
		Style: st.stylePath(), Logo: logoPath, HasLogo: st.hasLogo, HasContact: st.set.ContactForm,
	}
	for _, l := range languages {
		v.Alternates = append(v.Alternates, pageLink{Language: l, URL: st.url + "/" + l + rest})
	}
	st.addLanguages(v)
	return v
}

// addLanguages fills the language switch: it links to the page itself in the languages that
// the page has, and to the home page in the others.
func (st *site) addLanguages(v *pageView) {
	v.Languages = nil
	for _, l := range st.set.Languages {
		url := "/" + l
		if i := slices.IndexFunc(v.Alternates, func(a pageLink) bool { return a.Language == l }); i >= 0 {
			url = strings.TrimPrefix(v.Alternates[i].URL, st.url)
		}
		v.Languages = append(v.Languages, pageLink{Title: languageNames[l], URL: url, Language: l})
	}
	if i := slices.IndexFunc(v.Alternates, func(a pageLink) bool { return a.Language == st.set.DefaultLanguage }); i >= 0 {
		v.Alternates = append(v.Alternates, pageLink{Language: "x-default", URL: v.Alternates[i].URL})
	}
}

func (v *pageView) render() (*page, error) {
	var b bytes.Buffer
	if err := pageTemplate.ExecuteTemplate(&b, "page.html", v); err != nil {
		return nil, err
	}
	return newPage(htmlType, b.Bytes()), nil
}

// style returns the style sheet with the site's colours.
func (st *site) style() *page {
	c := st.set.Colours
	return newPage("text/css; charset=utf-8",
		[]byte(":root{--accent:"+c.Accent+";--header:"+c.Header+";--on-header:"+textOn(c.Header)+"}\n"+styleSheet))
}

// stylePath returns the address of the style sheet, which changes with its content.
func (st *site) stylePath() string { return "/style.css?v=" + strings.Trim(st.style().tag, `"`) }

// textLinks returns links to texts.
func textLinks(list []*publicText) []pageLink {
	out := make([]pageLink, len(list))
	for i, t := range list {
		out[i] = pageLink{Title: t.title, Text: t.summary, URL: articlePath(t.language, t.id, t.title)}
	}
	return out
}

// homePage lists the categories that have texts in a language, and the newest texts.
func (st *site) homePage(language string) *pageView {
	v := st.newView("home", language, "", st.set.Languages)
	for i := range st.categories {
		c := &st.categories[i]
		if n := len(st.textsIn(language, &c.ID)); n > 0 {
			text := c.Name(language, st.set.DefaultLanguage)
			v.Categories = append(v.Categories, pageLink{Title: text.Name, Text: text.Description, URL: "/" + language + "/c/" + c.Slug, Count: n})
		}
	}
	v.Links = textLinks(st.newest(language, 8))
	return v
}

func (st *site) homeCrumb(v *pageView) {
	v.Crumbs = append(v.Crumbs, pageLink{Title: v.W.Home, URL: "/" + v.Language})
}

// textsOnPage is the number of texts on one page of a category.
const textsOnPage = 40

// categoryPage lists texts of a category. The address is the category's slug, followed by
// /2 and so on for later pages; not_found if the category or page does not exist.
func (st *site) categoryPage(language, address string) (*pageView, error) {
	slug, number, later := strings.Cut(address, "/")
	i := slices.IndexFunc(st.categories, func(c Category) bool { return c.Slug == slug })
	n := 1
	if later {
		n, _ = strconv.Atoi(number)
	}
	if i < 0 || n < 1 || later && (n == 1 || number != strconv.Itoa(n)) {
		return nil, fault.New(fault.NotFound)
	}
	c := &st.categories[i]
	list, before := st.textsIn(language, &c.ID), (n-1)*textsOnPage
	if n > 1 && before >= len(list) {
		return nil, fault.New(fault.NotFound)
	}
	others := slices.DeleteFunc(slices.Clone(st.set.Languages), func(l string) bool {
		return n > 1 && before >= len(st.textsIn(l, &c.ID))
	})
	v := st.newView("category", language, "/c/"+address, others)
	text := c.Name(language, st.set.DefaultLanguage)
	v.Title, v.Description = text.Name, text.Description
	st.homeCrumb(v)
	v.Links = textLinks(list[before:min(before+textsOnPage, len(list))])
	path := "/" + language + "/c/" + slug
	switch {
	case n == 2:
		v.Previous = path
	case n > 2:
		v.Previous = path + "/" + strconv.Itoa(n-1)
	}
	if before+textsOnPage < len(list) {
		v.Next = path + "/" + strconv.Itoa(n+1)
	}
	return v, nil
}

const relatedTexts = 5

// articlePage shows a published text.
func (s *Service) articlePage(ctx context.Context, st *site, t *publicText, thanked bool) (*pageView, error) {
	body, err := db.Read(ctx, s.cfg.DB.Tenant(st.owned.TenantID), func(r *db.Reader) (string, error) {
		body, err := publicBody(r, t.id, t.language)
		return body, db.NotFound(err)
	})
	if err != nil {
		return nil, err
	}
	html, err := markup.HTML(body)
	if err != nil {
		return nil, err
	}
	path := articlePath(t.language, t.id, t.title)
	v := st.newView("article", t.language, strings.TrimPrefix(path, "/"+t.language), nil)
	for _, l := range st.languagesOf(t.id) {
		v.Alternates = append(v.Alternates, pageLink{Language: l, URL: st.url + articlePath(l, t.id, st.byID[textKey{t.id, l}].title)})
	}
	st.addLanguages(v)
	v.Title, v.Description, v.Path, v.Thanked = t.title, t.summary, path, thanked
	v.Updated, v.Body = t.publishedAt.UTC().Format(time.DateOnly), template.HTML(html) // markup drops all HTML of the source
	st.homeCrumb(v)
	if i := slices.IndexFunc(st.categories, func(c Category) bool { return c.ID == t.category }); i >= 0 {
		c := &st.categories[i]
		v.Crumbs = append(v.Crumbs, pageLink{Title: c.Name(t.language, st.set.DefaultLanguage).Name, URL: "/" + t.language + "/c/" + c.Slug})
	}
	related := slices.DeleteFunc(st.textsIn(t.language, &t.category), func(o *publicText) bool { return o == t })
	v.Links = textLinks(related[:min(len(related), relatedTexts)])
	return v, nil
}

// searchPage shows the search results; search engines do not index it.
func (st *site) searchPage(language, query string, hits []Hit) *pageView {
	v := st.newView("search", language, "/search", nil)
	v.Title, v.Query, v.Hidden = v.W.Results, query, true
	st.homeCrumb(v)
	for _, h := range hits {
		v.Found = append(v.Found, foundText{Title: h.Title, URL: strings.TrimPrefix(h.URL, st.url), Snippet: template.HTML(h.Snippet)}) // escaped by search
	}
	return v
}

// noticePage shows that something does not exist or is not available now.
func (st *site) noticePage(language, title, text string) *pageView {
	v := st.newView("notice", language, "", nil)
	v.Title, v.Notice, v.Hidden = title, text, true
	return v
}

type sitemapLink struct {
	Rel      string `xml:"rel,attr"`
	Language string `xml:"hreflang,attr"`
	URL      string `xml:"href,attr"`
}

type sitemapEntry struct {
	URL   string        `xml:"loc"`
	Date  string        `xml:"lastmod,omitempty"`
	Links []sitemapLink `xml:"xhtml:link"`
}

type sitemapFile struct {
	XMLName xml.Name       `xml:"urlset"`
	NS      string         `xml:"xmlns,attr"`
	XHTML   string         `xml:"xmlns:xhtml,attr"`
	Entries []sitemapEntry `xml:"url"`
}

// sitemap returns the list of all pages for search engines.
func (st *site) sitemap() (*page, error) {
	out := sitemapFile{NS: "http://www.sitemaps.org/schemas/sitemap/0.9", XHTML: "http://www.w3.org/1999/xhtml"}
	for _, l := range st.set.Languages {
		out.Entries = append(out.Entries, sitemapEntry{URL: st.url + "/" + l})
		for i := range st.categories {
			if c := &st.categories[i]; len(st.textsIn(l, &c.ID)) > 0 {
				out.Entries = append(out.Entries, sitemapEntry{URL: st.url + "/" + l + "/c/" + c.Slug})
			}
		}
	}
	for _, t := range st.texts {
		e := sitemapEntry{URL: st.url + articlePath(t.language, t.id, t.title), Date: t.publishedAt.UTC().Format(time.DateOnly)}
		for _, l := range st.languagesOf(t.id) {
			e.Links = append(e.Links, sitemapLink{"alternate", l, st.url + articlePath(l, t.id, st.byID[textKey{t.id, l}].title)})
		}
		out.Entries = append(out.Entries, e)
	}
	return xmlPage(xmlType, out)
}

type feedLink struct {
	Rel string `xml:"rel,attr,omitempty"`
	URL string `xml:"href,attr"`
}

type feedEntry struct {
	ID        string   `xml:"id"`
	Title     string   `xml:"title"`
	Link      feedLink `xml:"link"`
	Published string   `xml:"published"`
	Updated   string   `xml:"updated"`
	Summary   string   `xml:"summary,omitempty"`
}

type feedFile struct {
	XMLName xml.Name    `xml:"feed"`
	NS      string      `xml:"xmlns,attr"`
	Lang    string      `xml:"xml:lang,attr"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Author  string      `xml:"author>name"`
	Links   []feedLink  `xml:"link"`
	Updated string      `xml:"updated"`
	Entries []feedEntry `xml:"entry"`
}

const feedEntries = 20

// feed returns the Atom feed of the newest texts in a language.
func (st *site) feed(language string) (*page, error) {
	base := st.url + "/" + language
	out := feedFile{
		NS: "http://www.w3.org/2005/Atom", Lang: language, ID: base, Title: st.set.Title, Author: st.set.Title,
		Links: []feedLink{{"", base}, {"self", base + "/feed.xml"}},
	}
	updated := st.owned.Account.UpdatedAt.Time
	for _, t := range st.newest(language, feedEntries) {
		if t.publishedAt.After(updated) {
			updated = t.publishedAt.Time
		}
		out.Entries = append(out.Entries, feedEntry{
			ID: "urn:uuid:" + t.id.String() + ":" + language, Title: t.title, Link: feedLink{"", st.url + articlePath(language, t.id, t.title)},
			Published: t.firstPublishedAt.UTC().Format(time.RFC3339), Updated: t.publishedAt.UTC().Format(time.RFC3339), Summary: t.summary,
		})
	}
	out.Updated = updated.UTC().Format(time.RFC3339)
	return xmlPage("application/atom+xml; charset=utf-8", out)
}

func xmlPage(kind string, v any) (*page, error) {
	b, err := xml.Marshal(v)
	return newPage(kind, append([]byte(xml.Header), b...)), err
}
