package helpcenter

import (
	"context"
	"io"

	"konak/internal/crm/channel"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/filetype"
)

// Summary returns the state of the help center; before the first change it is not enabled.
func (s *Service) Summary(ctx context.Context) (Summary, error) {
	return db.Read(ctx, s.cfg.DB.TenantOf(ctx), func(r *db.Reader) (Summary, error) { return s.summary(r) })
}

func (s *Service) summary(r *db.Reader) (Summary, error) {
	slug := caller.From(r.Context()).Slug
	set := defaultSettings()
	a, found, err := s.cfg.Channels.OfExternal(r, Name, slug)
	if err != nil {
		return Summary{}, err
	}
	out := Summary{}
	if found {
		if err := a.Read(&set); err != nil {
			return out, err
		}
		url := s.siteURL(slug)
		out.Enabled, out.URL = a.Works(), &url
		if host := s.hosts[slug]; host != "" {
			out.CustomDomain = &host
		}
		state, err := readSite(r)
		if err != nil && !db.IsNoRow(err) {
			return out, err
		}
		if state.hasLogo {
			logo := url + logoPath
			out.LogoURL = &logo
		}
	}
	out.Title, out.Languages, out.DefaultLanguage, out.Colours = set.Title, set.Languages, set.DefaultLanguage, set.Colours
	out.ContactForm, out.WidgetSearch = set.ContactForm, set.WidgetSearch
	out.Articles, err = countTexts(r)
	return out, err
}

// Change is the gate for the help center's settings. The first change creates its account,
// and the site is public unless the change says otherwise.
func (s *Service) Change(ctx context.Context, ch SettingsChange) (out Summary, err error) {
	err = s.cfg.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if err := s.change(tx, ch); err != nil {
			return err
		}
		out, err = s.summary(&tx.Reader)
		return err
	})
	return out, err
}

func (s *Service) change(tx *db.Tx, ch SettingsChange) error {
	slug := caller.From(tx.Context()).Slug
	a, found, err := s.cfg.Channels.OfExternal(&tx.Reader, Name, slug)
	if err != nil {
		return err
	}
	if !found {
		if a, err = s.connect(tx, slug, ch); err != nil {
			return err
		}
	} else if _, err = s.cfg.Channels.Change(tx, Name, a.ID, func(a *channel.Account) error {
		var set Settings
		if err := a.Read(&set); err != nil {
			return err
		}
		if err := ch.applyTo(&set); err != nil {
			return err
		}
		a.Name = set.Title
		return a.Write(set)
	}); err != nil {
		return err
	}
	if ch.Enabled != nil && *ch.Enabled != a.Works() {
		status := channel.Paused
		if *ch.Enabled {
			status = channel.Active
		}
		if _, err := s.cfg.Channels.SetStatusIn(tx, Name, a.ID, status); err != nil {
			return err
		}
	}
	return s.siteChanged(tx)
}

// connect creates the account of the workspace's help center.
func (s *Service) connect(tx *db.Tx, slug string, ch SettingsChange) (a channel.Account, err error) {
	set := defaultSettings()
	if err := ch.applyTo(&set); err != nil {
		return a, err
	}
	a = channel.Account{Kind: Name, Name: set.Title, Status: channel.Active, ExternalID: &slug}
	if err := a.Write(set); err != nil {
		return a, err
	}
	if a, err = s.cfg.Channels.Connect(tx, a); err != nil {
		return a, err
	}
	return a, putSite(tx)
}

// maxLogo is the maximum size of a logo in bytes. Its route accepts no more.
const maxLogo = 200 << 10

// SetLogo is the gate for the site's logo. It returns validation_failed if the file is not
// a supported picture, and not_found before the help center was set up.
func (s *Service) SetLogo(ctx context.Context, r io.Reader) (Summary, error) {
	content, err := io.ReadAll(r)
	if err != nil {
		return Summary{}, err
	}
	kind := filetype.Sniff(content)
	if kind != "image/png" && kind != "image/jpeg" && kind != "image/webp" {
		return Summary{}, fault.Invalid("file", "unsupported_type")
	}
	return s.changeLogo(ctx, "help_center.logo_set", logo{content, kind})
}

// DropLogo is the gate that removes the logo.
func (s *Service) DropLogo(ctx context.Context) (Summary, error) {
	return s.changeLogo(ctx, "help_center.logo_removed", logo{})
}

func (s *Service) changeLogo(ctx context.Context, action string, l logo) (out Summary, err error) {
	err = s.cfg.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if found, err := setLogo(tx, l); err != nil {
			return err
		} else if !found {
			return fault.New(fault.NotFound)
		}
		if err := audit.Write(tx, action, caller.From(ctx).Slug, map[string]any{"bytes": len(l.content)}); err != nil {
			return err
		}
		if err := s.siteChanged(tx); err != nil {
			return err
		}
		out, err = s.summary(&tx.Reader)
		return err
	})
	return out, err
}
