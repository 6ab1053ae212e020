package helpcenter

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Limits of an import.
const (
	maxImport      = 5 << 20 // bytes; the route accepts no more
	maxImportFiles = 300
)

// ImportOptions are the defaults for files that do not name their language or category.
type ImportOptions struct {
	Filename   string
	Language   string
	CategoryID *uuid.UUID
	Publish    bool
}

// Imported is the result for one file.
type Imported struct {
	File      string     `json:"file" example:"tr/kargo/teslimat.md"`
	ArticleID *uuid.UUID `json:"article_id" nullable:"true" format:"uuid"`
	Language  string     `json:"language" example:"tr"`
	Title     string     `json:"title" example:"Teslimat süresi"`
	Skipped   bool       `json:"skipped" doc:"Whether the text already existed; nothing was changed, and article_id is the existing article"`
	Warnings  []string   `json:"warnings" nullable:"false" enum:"html_left_out,picture_not_shown,language_not_shown" doc:"Parts that readers will not see as written; the same values as for an article's texts"`
	Error     *string    `json:"error" nullable:"true" example:"unknown_category" doc:"Why no article was created; null if there is one"`
}

// ImportResult is the result of an import.
type ImportResult struct {
	Created int        `json:"created" example:"12" doc:"Number of texts created"`
	Skipped int        `json:"skipped" example:"0" doc:"Number of texts that already existed and were left unchanged"`
	Failed  int        `json:"failed" example:"0"`
	Files   []Imported `json:"files" nullable:"false"`
}

// source is a Markdown file with the data it contains about itself.
type source struct {
	name, language, category, article string
	words                             Words
	unreadable                        bool // it is empty or not a text
}

// imports is the state of one import.
type imports struct {
	ImportOptions
	languages []string // of the site
	// articles maps the names that files use to articles; existed marks those that existed
	// before the import.
	articles map[string]uuid.UUID
	existed  map[uuid.UUID]bool
	// made marks the articles created by this import: two files with the same title are two
	// articles.
	made map[uuid.UUID]bool
}

// Import creates articles from a Markdown file or a zip of them, as drafts unless they are
// to be published. It returns validation_failed for any other file, and limit_reached for
// too many files. A file that cannot become an article is reported and does not stop the
// others; a text that already exists is left unchanged.
func (s *Service) Import(ctx context.Context, o ImportOptions, r io.Reader) (ImportResult, error) {
	out := ImportResult{Files: []Imported{}}
	content, err := io.ReadAll(r)
	if err != nil {
		return out, err
	}
	set, err := db.Read(ctx, s.cfg.DB.TenantOf(ctx), s.siteSettings)
	if err != nil {
		return out, err
	}
	o.Language = cmp.Or(o.Language, set.DefaultLanguage)
	sources, err := readSources(o, content)
	if err != nil {
		return out, err
	}
	all := &imports{o, set.Languages, map[string]uuid.UUID{}, map[uuid.UUID]bool{}, map[uuid.UUID]bool{}}
	if err := s.findNamed(ctx, all, sources); err != nil {
		return out, err
	}
	for _, src := range sources {
		done, err := s.importOne(ctx, all, src)
		if err != nil {
			return out, err
		}
		switch {
		case done.Error != nil:
			out.Failed++
		case done.Skipped:
			out.Skipped++
		default:
			out.Created++
		}
		out.Files = append(out.Files, done)
	}
	return out, nil
}

// findNamed finds the articles that files name and that already exist, whichever of their
// languages comes first.
func (s *Service) findNamed(ctx context.Context, all *imports, sources []source) error {
	return s.cfg.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) error {
		for _, src := range sources {
			if src.article == "" || src.unreadable || src.words.check() != nil {
				continue
			}
			category, err := findCategory(r, all.ImportOptions, src)
			if err != nil {
				if _, known := fault.As(err); known {
					continue
				}
				return err
			}
			id, err := articleTitled(r, category, src.language, src.words.Title)
			if err == nil {
				all.articles[src.article], all.existed[id] = id, true
			} else if !db.IsNoRow(err) {
				return err
			}
		}
		return nil
	})
}

// reasonOf returns the reason that a fault gives for a field, or else its code.
func reasonOf(f *fault.Fault) string {
	for _, codes := range f.Fields {
		if len(codes) > 0 {
			return codes[0]
		}
	}
	return string(f.Code)
}

// readSources reads the files of an upload.
func readSources(o ImportOptions, content []byte) ([]source, error) {
	if !bytes.HasPrefix(content, []byte("PK\x03\x04")) {
		src := readSource(o, path.Base(o.Filename), content)
		if src.unreadable {
			return nil, fault.Invalid("file", "unsupported_type")
		}
		return []source{src}, nil
	}
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, fault.Invalid("file", "unsupported_type").Wrap(err)
	}
	var out []source
	for _, f := range archive.File {
		if f.FileInfo().IsDir() || !strings.HasSuffix(strings.ToLower(f.Name), ".md") || strings.HasPrefix(path.Base(f.Name), ".") {
			continue
		}
		if len(out) == maxImportFiles {
			return nil, fault.New(fault.LimitReached, maxImportFiles)
		}
		text, err := readEntry(f)
		if err != nil {
			return nil, fault.Invalid("file", "damaged").Wrap(err)
		}
		out = append(out, readSource(o, f.Name, text))
	}
	if len(out) == 0 {
		return nil, fault.Invalid("file", "no_articles")
	}
	return out, nil
}

// maxHead is the maximum length of the lines before a text that describe it.
const maxHead = 10_000

// readEntry reads a file of an archive, up to one byte more than the maximum of an article
// with its head.
func readEntry(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(r, maxHead+maxBody+1))
	return text, errors.Join(err, r.Close())
}

// isText reports whether a file contains readable text. If it was not read to its end, its
// last character may be incomplete.
func isText(content []byte) bool {
	for cut := 0; len(content) > maxHead+maxBody && cut < utf8.UTFMax-1 && !utf8.Valid(content); cut++ {
		content = content[:len(content)-1]
	}
	text := bytes.TrimSpace(bytes.TrimPrefix(content, []byte("\ufeff")))
	return len(text) > 0 && utf8.Valid(text) && bytes.IndexByte(text, 0) < 0
}

// readSource reads a file's data: from lines between two lines of --- at its beginning
// (title, summary, category, language, article), else from its path
// (language/category/name.md), else from its first heading and its name.
func readSource(o ImportOptions, name string, content []byte) source {
	name = strings.ReplaceAll(strings.ToValidUTF8(name, "\ufffd"), "\x00", "") // an archive may contain any bytes here
	src := source{name: name, language: o.Language, unreadable: !isText(content)}
	dirs := strings.Split(path.Dir(path.Clean("/" + strings.ReplaceAll(name, `\`, "/")))[1:], "/")
	if len(dirs) > 0 && IsLanguage(dirs[0]) {
		src.language, dirs = dirs[0], dirs[1:]
	}
	if len(dirs) > 0 {
		src.category = makeSlug(dirs[len(dirs)-1])
	}
	text := strings.ReplaceAll(strings.ToValidUTF8(strings.TrimPrefix(string(content), "\ufeff"), ""), "\r\n", "\n")
	text = strings.ReplaceAll(text, "\x00", "") // only in a file that will be refused
	if head, rest, found := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n"); found && strings.HasPrefix(text, "---\n") && len(head) < maxHead-len("---\n\n---\n") {
		for line := range strings.Lines(head) {
			key, value, _ := strings.Cut(line, ":")
			value = strings.Trim(strings.TrimSpace(value), `"'`)
			switch strings.TrimSpace(key) {
			case "title":
				src.words.Title = value
			case "summary", "description":
				src.words.Summary = value
			case "category":
				src.category = makeSlug(value)
			case "language", "lang":
				src.language = value
			case "article":
				src.article = value
			}
		}
		text = rest
	}
	text = strings.TrimSpace(text)
	if src.words.Title == "" {
		if heading, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(heading, "# ") {
			src.words.Title, text = strings.TrimSpace(heading[2:]), strings.TrimSpace(rest)
		} else {
			src.words.Title = strings.TrimSuffix(path.Base(name), path.Ext(name))
		}
	}
	src.words.Body = text
	return src
}

// importOne imports one file and returns the result. Files that name the same article are
// its texts in several languages.
func (s *Service) importOne(ctx context.Context, all *imports, src source) (Imported, error) {
	done := Imported{File: src.name, Language: src.language, Title: src.words.Title, Warnings: []string{}}
	id, skipped, err := s.writeSource(ctx, all, src)
	if f, known := fault.As(err); known {
		reason := reasonOf(f)
		done.Error = &reason
		return done, nil
	}
	if err != nil {
		return done, err
	}
	done.ArticleID, done.Skipped = &id, skipped
	if !skipped {
		done.Warnings = warningsOf(all.languages, src.language, src.words.Body)
	}
	return done, nil
}

// writeSource creates a text from a file, or returns the existing one.
func (s *Service) writeSource(ctx context.Context, all *imports, src source) (id uuid.UUID, skipped bool, err error) {
	if src.unreadable {
		return id, false, fault.Invalid("file", "unsupported_type")
	}
	if !IsLanguage(src.language) {
		return id, false, fault.Invalid("language", "unknown_language")
	}
	if err := src.words.check(); err != nil {
		return id, false, err
	}
	id, known := all.articles[src.article]
	if known = known && src.article != ""; known {
		skipped, err = s.addText(ctx, id, all.existed[id], src)
	} else {
		id, skipped, err = s.addSource(ctx, all, src)
	}
	if err != nil || skipped {
		return id, skipped, err
	}
	all.articles[src.article] = id
	all.made[id] = !all.existed[id]
	if all.Publish {
		_, err = s.Publish(ctx, id, src.language)
	}
	return id, false, err
}

// addSource creates an article from a file, unless one with that title exists in the
// category and the language.
func (s *Service) addSource(ctx context.Context, all *imports, src source) (id uuid.UUID, skipped bool, err error) {
	err = s.cfg.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		category, err := findCategory(&tx.Reader, all.ImportOptions, src)
		if err != nil {
			return err
		}
		id, err = articleTitled(&tx.Reader, category, src.language, src.words.Title)
		if skipped = err == nil && !all.made[id]; skipped || err != nil && !db.IsNoRow(err) {
			return err
		}
		a, err := s.addArticle(tx, NewArticle{CategoryID: category, Language: src.language, Words: src.words})
		id = a.ID
		return err
	})
	return id, skipped, err
}

// addText adds a text in another language to an article. If the article existed before the
// import, an existing text in that language is left unchanged.
func (s *Service) addText(ctx context.Context, id uuid.UUID, existed bool, src source) (skipped bool, err error) {
	if existed {
		a, err := s.Article(ctx, id)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(a.Texts, func(t Text) bool { return t.Language == src.language }) {
			return true, nil
		}
	}
	_, err = s.SaveText(ctx, id, src.language, src.words, nil)
	return false, err
}

// findCategory returns the category of a file: the one that it names, else the one given
// for all files.
func findCategory(r *db.Reader, o ImportOptions, src source) (uuid.UUID, error) {
	if src.category != "" {
		c, err := categoryBySlug(r, src.category)
		if err == nil || !db.IsNoRow(err) {
			return c.ID, err
		}
	}
	if o.CategoryID == nil {
		return uuid.Nil, fault.Invalid("category", "unknown_category")
	}
	return *o.CategoryID, nil
}
