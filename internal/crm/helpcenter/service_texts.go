package helpcenter

import (
	"context"
	"strings"

	"konak/internal/crm/helpcenter/markup"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/trtext"
)

// ArticleText is a published text with its content, for quoting.
type ArticleText struct {
	Language string
	Title    string
	Summary  string
	URL      string
	Sections []TextSection
}

// TextSection is a part of a text below a heading, without marks: each line is a paragraph,
// list item or row.
type TextSection struct {
	Heading string
	Body    string
}

// TextsRevision identifies the state of the published texts; 0 if the site is not public.
func (s *Service) TextsRevision(ctx context.Context) (int64, error) {
	st, err := s.openSite(ctx, caller.From(ctx).Slug)
	if fault.Is(err, fault.NotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return st.revision, nil
}

// ArticleTexts returns the published texts of the caller's workspace, at most maxIndexed
// bytes of them; none if the site is not public.
func (s *Service) ArticleTexts(ctx context.Context) (out []ArticleText, err error) {
	st, err := s.openSite(ctx, caller.From(ctx).Slug)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	err = s.eachBody(ctx, st, func(t *publicText, body string, left int) int {
		text := ArticleText{Language: t.language, Title: t.title, Summary: t.summary, URL: st.url + articlePath(t.language, t.id, t.title)}
		text.Sections = cutSections(trtext.Cut(body, left))
		out = append(out, text)
		return len(body)
	})
	return out, err
}

// eachBody calls fn with the published bodies of a site, reading a few at a time, until fn
// has used maxIndexed bytes in total. fn gets the number of bytes left and returns how many
// it used.
func (s *Service) eachBody(ctx context.Context, st *site, fn func(t *publicText, body string, left int) int) error {
	var after publicBodyRow
	for left := maxIndexed; left > 0; {
		rows, err := db.Read(ctx, s.cfg.DB.Tenant(st.owned.TenantID), func(r *db.Reader) ([]publicBodyRow, error) {
			return publicBodies(r, after, bodiesAtOnce)
		})
		if err != nil {
			return err
		}
		for _, row := range rows {
			if t := st.byID[textKey{row.id, row.language}]; t != nil && left > 0 {
				left -= fn(t, row.body, left) + 1
			}
		}
		if len(rows) < bodiesAtOnce {
			return nil
		}
		after = rows[len(rows)-1]
	}
	return nil
}

// cutSections splits a Markdown text at its headings.
func cutSections(body string) (out []TextSection) {
	var heading string
	var lines []string
	flush := func() {
		if text := markup.Text(strings.Join(lines, "\n")); text != "" {
			out = append(out, TextSection{heading, text})
		}
		lines = nil
	}
	for line := range strings.SplitSeq(body, "\n") {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			flush()
			heading = markup.Text(title)
			continue
		}
		if row, ok := tableRow(line); ok {
			line = row
		}
		lines = append(lines, line)
	}
	flush()
	return out
}

// tableRow converts a table row into a paragraph, and the row of dashes into nothing.
func tableRow(line string) (string, bool) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "|") {
		return "", false
	}
	if strings.Trim(line, "|-: ") == "" {
		return "", true
	}
	cells := strings.Split(strings.Trim(line, "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return "\n" + strings.Join(cells, " · ") + "\n", true
}
