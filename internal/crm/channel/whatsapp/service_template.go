package whatsapp

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"konak/internal/crm/channel/meta"
	"konak/internal/crm/channel/transport"
	"konak/internal/crm/template"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

var _ template.Provider = (*Numbers)(nil)

// Keeps implements template.Provider.
func (s *Numbers) Keeps(r *db.Reader, account uuid.UUID) error {
	a, err := s.Channels.Find(r, Name, account)
	if fault.Is(err, fault.NotFound) {
		return fault.Invalid("channel_account_id", "unknown_account")
	}
	if err == nil && !a.Works() {
		err = fault.New(fault.ChannelUnavailable).Because(a.Status)
	}
	return err
}

// Accounts implements template.Provider.
func (s *Numbers) Accounts(r *db.Reader) ([]uuid.UUID, error) {
	return s.Channels.Working(r, Name)
}

// ask calls the provider for a number and records what the answer says about its token. It
// returns the provider's errors as faults.
func ask[T any](ctx context.Context, s *Numbers, account uuid.UUID, fn func(Access) (T, error)) (out T, err error) {
	at, err := s.open(ctx, account)
	if err != nil {
		return out, err
	}
	out, err = fn(at)
	s.accounts.RecordAnswer(ctx, account, err)
	r, refused := errors.AsType[*Refusal](err)
	switch {
	case err == nil:
		return out, nil
	case errors.Is(err, ErrNoTemplate):
		return out, fault.New(fault.NotFound)
	case !refused || r.Passing():
		return out, transport.Unreachable(err)
	case r.Auth():
		return out, fault.New(fault.ChannelUnavailable).Because(transport.ReasonToken).Wrap(err)
	}
	return out, fault.New(fault.TemplateRejected, r.Words()).Because(r.Words()).Wrap(err)
}

// Submit implements template.Provider.
func (s *Numbers) Submit(ctx context.Context, account uuid.UUID, t *template.Template) (template.Given, error) {
	return ask(ctx, s, account, func(at Access) (template.Given, error) { return s.Provider.CreateTemplate(ctx, at, t) })
}

// Edit implements template.Provider.
func (s *Numbers) Edit(ctx context.Context, account uuid.UUID, t *template.Template) (template.Given, error) {
	return ask(ctx, s, account, func(at Access) (template.Given, error) { return s.Provider.EditTemplate(ctx, at, t) })
}

// Delete implements template.Provider.
func (s *Numbers) Delete(ctx context.Context, account uuid.UUID, name string) error {
	_, err := ask(ctx, s, account, func(at Access) (struct{}, error) {
		err := s.Provider.DeleteTemplate(ctx, at, name)
		if r, ok := errors.AsType[*Refusal](err); ok && r.Code == meta.CodeMissing && r.Subcode == subcodeNoTemplate {
			err = nil
		}
		return struct{}{}, err
	})
	return err
}

// List implements template.Provider.
func (s *Numbers) List(ctx context.Context, account uuid.UUID) ([]template.Given, error) {
	return ask(ctx, s, account, func(at Access) ([]template.Given, error) { return s.Provider.Templates(ctx, at) })
}

// Upload implements template.Provider.
func (s *Numbers) Upload(ctx context.Context, account uuid.UUID, f template.Sample) (string, error) {
	return ask(ctx, s, account, func(at Access) (string, error) { return s.Provider.UploadSample(ctx, at, f) })
}
