package helpcenter

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// Bounds of an import.
const (
	maxImport      = 5 << 20 // bytes; the route takes no more
	maxImportFiles = 300
)

// ImportOptions say where articles go whose files do not say so themselves.
type ImportOptions struct {
	Filename   string
	Language   string
	CategoryID *uuid.UUID
	Publish    bool
}

// Imported is what became of one file.
type Imported struct {
	File      string     `json:"file" example:"tr/kargo/teslimat.md"`
	ArticleID *uuid.UUID `json:"article_id" nullable:"true" format:"uuid"`
	Language  string     `json:"language" example:"tr"`
	Title     string     `json:"title" example:"Teslimat süresi"`
	Error     *string    `json:"error" nullable:"true" example:"unknown_category" doc:"Why there is no article; null where there is one"`
}

// ImportResult is what became of an import.
type ImportResult struct {
	Created int        `json:"created" example:"12" doc:"Texts that were written"`
	Failed  int        `json:"failed" example:"0"`
	Files   []Imported `json:"files" nullable:"false"`
}

// source is a Markdown file and what it says about itself.
type source struct {
	name, language, category, article string
	words                             Words
}

// Import writes articles from a Markdown file or a zip of them, as drafts unless
// they are to be published. It returns validation_failed for what is neither, and
// limit_reached for too many files. A file that cannot become an article is
// reported and does not keep the others away.
func (s *Service) Import(ctx context.Context, o ImportOptions, r io.Reader) (ImportResult, error) {
	out := ImportResult{Files: []Imported{}}
	content, err := io.ReadAll(r)
	if err != nil {
		return out, err
	}
	sources, err := readSources(o, content)
	if err != nil {
		return out, err
	}
	articles := map[string]uuid.UUID{}
	for _, src := range sources {
		done := Imported{File: src.name, Language: src.language, Title: src.words.Title}
		id, err := s.importOne(ctx, o, src, articles)
		if f, known := fault.As(err); known {
			reason := reasonOf(f)
			done.Error = &reason
			out.Failed++
		} else if err != nil {
			return out, err
		} else {
			done.ArticleID = &id
			out.Created++
		}
		out.Files = append(out.Files, done)
	}
	return out, nil
}

// reasonOf is the first reason that a fault names.
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
		if !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0 || len(content) == 0 {
			return nil, fault.Invalid("file", "unsupported_type")
		}
		return []source{readSource(o, path.Base(o.Filename), content)}, nil
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

// maxHead is how long the lines before a text may be that say what it is.
const maxHead = 10_000

// readEntry reads a file of an archive, one byte more than an article and what stands
// before it may have at most.
func readEntry(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(r, maxHead+maxBody+1))
	return text, errors.Join(err, r.Close())
}

// readSource reads what a file says: lines between two lines of --- at its
// beginning (title, summary, category, language, article), else its path
// (language/category/name.md), else its first heading and its name.
func readSource(o ImportOptions, name string, content []byte) source {
	src := source{name: name, language: o.Language}
	dirs := strings.Split(path.Dir(path.Clean("/" + strings.ReplaceAll(name, `\`, "/")))[1:], "/")
	if len(dirs) > 0 && IsLanguage(dirs[0]) {
		src.language, dirs = dirs[0], dirs[1:]
	}
	if len(dirs) > 0 {
		src.category = makeSlug(dirs[len(dirs)-1])
	}
	text := strings.ReplaceAll(strings.ToValidUTF8(strings.TrimPrefix(string(content), "\ufeff"), ""), "\r\n", "\n")
	text = strings.ReplaceAll(text, "\x00", "")
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

// importOne writes one file. Files that name the same article are its texts in
// several languages.
func (s *Service) importOne(ctx context.Context, o ImportOptions, src source, articles map[string]uuid.UUID) (id uuid.UUID, err error) {
	if !IsLanguage(src.language) {
		return id, fault.Invalid("language", "unknown_language")
	}
	if err := src.words.check(); err != nil {
		return id, err
	}
	id, known := articles[src.article]
	if known && src.article != "" {
		_, err = s.SaveText(ctx, id, src.language, src.words, nil)
	} else {
		err = s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
			category, err := findCategory(tx, o, src)
			if err != nil {
				return err
			}
			a, err := s.addArticle(tx, NewArticle{CategoryID: category, Language: src.language, Words: src.words})
			id = a.ID
			return err
		})
	}
	if err != nil {
		return id, err
	}
	articles[src.article] = id
	if o.Publish {
		_, err = s.Publish(ctx, id, src.language)
	}
	return id, err
}

// findCategory finds where a file belongs: the category that it names, else the
// one that was given for all.
func findCategory(tx *db.Tx, o ImportOptions, src source) (uuid.UUID, error) {
	if src.category != "" {
		c, err := categoryBySlug(&tx.Reader, src.category)
		if err == nil || !db.IsNoRow(err) {
			return c.ID, err
		}
	}
	if o.CategoryID == nil {
		return uuid.Nil, fault.Invalid("category", "unknown_category")
	}
	return *o.CategoryID, nil
}
