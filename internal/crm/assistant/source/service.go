package source

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/assistant/engine"
	"konak/internal/kit/api"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/idempotency"
	"konak/internal/kit/jobs"
	"konak/internal/kit/limit"
)

// Licence is the module that a workspace needs for sources.
const Licence = "ai"

// Licences reads the licences of workspaces.
type Licences interface {
	Licences(ctx context.Context, tenant uuid.UUID) (map[string]bool, error)
}

// Config holds what the package needs.
type Config struct {
	DB       *db.DB
	Pages    Pages
	Limits   limit.Limiter
	Licences Licences
	// ReadDocument returns the text of a file, cut after the given number of bytes, or the
	// reason why it has none. It is mail's dlp.ReadDocument.
	ReadDocument func(ctx context.Context, name string, content []byte, most int) (text, reason string)
}

// Service manages the sources.
type Service struct{ Config }

// New creates the service. It returns an error if the config is incomplete.
func New(c Config) (*Service, error) {
	if c.DB == nil || c.Pages == nil || c.Limits == nil || c.Licences == nil || c.ReadDocument == nil {
		return nil, errors.New("source: the config is not complete")
	}
	return &Service{c}, nil
}

// Sources returns the sources, oldest first.
func (s *Service) Sources(ctx context.Context, p db.Page) (db.List[Source], error) {
	return db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (db.List[Source], error) { return list(r, p) })
}

// Source returns one source with its text; not_found if it does not exist.
func (s *Service) Source(ctx context.Context, id uuid.UUID) (Text, error) {
	k, err := db.Read(ctx, s.DB.TenantOf(ctx), func(r *db.Reader) (kept, error) { return withText(r, id) })
	return Text{k.Source, wholeText(k.sections.V)}, db.NotFound(err)
}

// pagesOfWorkspace limits how often a workspace can have pages fetched: each is a request
// to somebody's server.
var pagesOfWorkspace = limit.Policy{Name: "assistant-sources", Burst: 60, Window: time.Hour}

func (s *Service) takePage(ctx context.Context) error {
	return api.TakeLimits(ctx, s.Limits, pagesOfWorkspace.By(limit.Key(caller.From(ctx).TenantID)))
}

// AddPage adds a page, which a job fetches. It returns a conflict if the page is already a
// source.
func (s *Service) AddPage(ctx context.Context, in newPage) (src Source, err error) {
	address, err := s.pageAddress(in.Address)
	if err != nil {
		return src, err
	}
	if err := s.takePage(ctx); err != nil {
		return src, err
	}
	err = idempotency.Do(ctx, s.DB.TenantOf(ctx), &src, func(tx *db.Tx) error {
		src = Source{ID: tx.NewID(), Kind: Website, Address: address, State: Pending, CreatedAt: clock.At(tx.Now()), UpdatedAt: clock.At(tx.Now())}
		src.setTitle(in.Title)
		if err := checkCount(tx); err != nil {
			return err
		}
		if taken, err := addressTaken(&tx.Reader, address, src.ID); err != nil {
			return err
		} else if taken {
			return fault.New(fault.Conflict).Field("address", "taken")
		}
		if err := put(tx, src, []section{}); err != nil {
			return err
		}
		if err := jobs.Restart(tx, FetchJob, src.ID, tx.Now()); err != nil {
			return err
		}
		return record(tx, "assistant_source.created", src)
	})
	return src, err
}

// pageAddress checks an address and returns it in a canonical form.
func (s *Service) pageAddress(raw string) (string, error) {
	raw, _, _ = strings.Cut(strings.TrimSpace(raw), "#")
	u, err := s.Pages.Check("address", raw)
	if err != nil {
		return "", err
	}
	u.Host, u.Path = strings.ToLower(u.Host), cmp.Or(u.Path, "/")
	return u.String(), nil
}

// setTitle sets the given title, or a default until the source is read.
func (s *Source) setTitle(given string) {
	given = cleanLine(given)
	s.titleGiven = given != ""
	switch {
	case given != "":
		s.Title = given
	case s.Kind == File:
		s.Title = s.Filename
	default:
		s.Title = s.Address
	}
}

func checkCount(tx *db.Tx) error {
	n, _, err := usedFor(&tx.Reader, uuid.Nil)
	if err == nil && n >= maxSources {
		err = fault.New(fault.LimitReached, maxSources)
	}
	return err
}

// record writes a change to the audit log.
func record(tx *db.Tx, action string, src Source) error {
	return audit.Write(tx, action, src.ID.String(), map[string]any{"kind": src.Kind, "title": src.Title, "address": src.Address, "filename": src.Filename})
}

// AddFile reads a file and keeps its text. It refuses with 422 on file: not_a_text,
// unreadable, no_text, too_large.
func (s *Service) AddFile(ctx context.Context, name, title string, body io.Reader) (src Source, err error) {
	content, err := io.ReadAll(body)
	if err != nil {
		return src, err
	}
	name = cleanLine(path.Base(strings.ReplaceAll(name, `\`, "/")))
	d, err := s.read(ctx, name, "", content)
	if f, failed := errors.AsType[*Failure](err); failed {
		return src, fault.Invalid("file", f.Code)
	} else if err != nil {
		return src, err
	}
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		now := clock.At(tx.Now())
		src = Source{ID: tx.NewID(), Kind: File, Filename: name, CreatedAt: now}
		src.setTitle(title)
		if err := checkCount(tx); err != nil {
			return err
		}
		if err := src.take(tx, d); err != nil {
			return err
		}
		if src.State != Ready {
			return fault.New(fault.LimitReached, maxTextInAll).Because(spaceUsedUp)
		}
		if err := put(tx, src, d.sections); err != nil {
			return err
		}
		return record(tx, "assistant_source.created", src)
	})
	return src, err
}

// take stores the result of reading in the source, or records that the sources in total
// have no space for it.
func (s *Source) take(tx *db.Tx, d document) error {
	now := clock.At(tx.Now())
	s.TriedAt, s.UpdatedAt = &now, now
	_, used, err := usedFor(&tx.Reader, s.ID)
	if err != nil {
		return err
	}
	if used+d.size() > maxTextInAll {
		s.fail(spaceUsedUp, false)
		return nil
	}
	s.State, s.Failure, s.ReadAt, s.Bytes, s.Cut = Ready, nil, &now, d.size(), d.cut
	s.language = ""
	if d.language == engine.Turkish || d.language == engine.English {
		s.language = d.language
	}
	if !s.titleGiven && d.title != "" {
		s.Title = d.title
	}
	s.revision++
	return nil
}

// fail records why a source could not be read.
func (s *Source) fail(code string, forget bool) {
	s.State, s.Failure = Failed, &code
	if forget {
		s.forget()
	}
}

// forget excludes the text read before from answers.
func (s *Source) forget() {
	s.Bytes, s.Cut, s.ReadAt = 0, false, nil
	s.revision++
}

// Change changes a title or an address. With another address the page is fetched, and the
// old page's text is no longer used. It returns a conflict if the page is already a source.
func (s *Service) Change(ctx context.Context, id uuid.UUID, in change) (src Source, err error) {
	address := ""
	if in.Address != nil {
		if address, err = s.pageAddress(*in.Address); err != nil {
			return src, err
		}
		if err := s.takePage(ctx); err != nil {
			return src, err
		}
	}
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if src, err = lock(tx, id); err != nil {
			return db.NotFound(err)
		}
		if in.Address != nil {
			if err := src.moveTo(tx, address); err != nil {
				return err
			}
		}
		if in.Title != nil {
			src.setTitle(*in.Title)
			src.revision++
		}
		src.UpdatedAt = clock.At(tx.Now())
		if err := save(tx, src); err != nil {
			return err
		}
		return record(tx, "assistant_source.changed", src)
	})
	return src, err
}

// moveTo changes the page of a source.
func (s *Source) moveTo(tx *db.Tx, address string) error {
	switch {
	case s.Kind != Website:
		return fault.Invalid("address", "not_a_page")
	case address == s.Address:
		return nil
	}
	if taken, err := addressTaken(&tx.Reader, address, s.ID); err != nil {
		return err
	} else if taken {
		return fault.New(fault.Conflict).Field("address", "taken")
	}
	s.Address, s.State, s.Failure, s.TriedAt = address, Pending, nil, nil
	s.forget()
	if !s.titleGiven {
		s.setTitle("")
	}
	if err := saveText(tx, s.ID, []section{}); err != nil {
		return err
	}
	return jobs.Restart(tx, FetchJob, s.ID, tx.Now())
}

// FetchAgain fetches a page again now. It returns a conflict for a file.
func (s *Service) FetchAgain(ctx context.Context, id uuid.UUID) (src Source, err error) {
	if err := s.takePage(ctx); err != nil {
		return src, err
	}
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if src, err = lock(tx, id); err != nil {
			return db.NotFound(err)
		}
		if src.Kind != Website {
			return fault.New(fault.Conflict).Because("not_a_page")
		}
		src.State, src.Failure, src.UpdatedAt = Pending, nil, clock.At(tx.Now())
		if err := save(tx, src); err != nil {
			return err
		}
		if err := jobs.Restart(tx, FetchJob, src.ID, tx.Now()); err != nil {
			return err
		}
		return record(tx, "assistant_source.fetched", src)
	})
	return src, err
}

// Delete removes a source. No later answer comes from it.
func (s *Service) Delete(ctx context.Context, id uuid.UUID) error {
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		src, err := lock(tx, id)
		if err != nil {
			return db.NotFound(err)
		}
		if err := drop(tx, id); err != nil {
			return err
		}
		return record(tx, "assistant_source.deleted", src)
	})
}

// Revision identifies the state of the texts; equal revisions mean equal texts.
func (s *Service) Revision(ctx context.Context) (string, error) {
	list, err := db.Read(ctx, s.DB.TenantOf(ctx), marks)
	h := sha256.New()
	for _, m := range list {
		_, _ = fmt.Fprintf(h, "%s %d\n", m.id, m.revision)
	}
	return hex.EncodeToString(h.Sum(nil)[:12]), err
}

// Texts returns the texts that answers may come from.
func (s *Service) Texts(ctx context.Context) (out []engine.Text, err error) {
	list, err := db.Read(ctx, s.DB.TenantOf(ctx), texts)
	for _, k := range list {
		out = append(out, engineTexts(k.Source, k.sections.V)...)
	}
	return out, err
}
