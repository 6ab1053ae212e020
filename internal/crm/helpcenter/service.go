package helpcenter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"

	"konak/internal/crm/channel"
	"konak/internal/crm/contact"
	"konak/internal/crm/conversation"
	"konak/internal/crm/conversation/inbound"
	"konak/internal/kit/cache"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/limit"
)

// Config holds what the help center needs.
type Config struct {
	DB       *db.DB
	Channels *channel.Service
	Inbound  *inbound.Service
	Limits   limit.Limiter
	// BaseURL is the public address of the installation; Domain is its bare host.
	BaseURL string
	Domain  string
	// Hosts maps the hosts of sites that have their own to slugs.
	Hosts map[string]string
	// FormKey signs the contact forms.
	FormKey []byte
}

// Service is the help center.
type Service struct {
	cfg  Config
	base *url.URL
	// hosts maps the slugs of sites that have their own host to it.
	hosts map[string]string
	// Caches of sites, pages and indexes. Each is limited in size; pages and indexes belong
	// to one revision.
	sites   cache.Cache[string, *cachedSite]
	pages   cache.Cache[pageKey, *page]
	indexes cache.Cache[indexKey, *articleIndex]
}

// Limits of a node's caches.
const (
	keptSites   = 2000
	keptBytes   = 64 << 20 // size of all cached pages
	keptIndexes = 64
)

// New creates the service. It returns an error if the config is incomplete.
func New(c Config) (*Service, error) {
	if c.DB == nil || c.Channels == nil || c.Inbound == nil || c.Limits == nil || c.Domain == "" || len(c.FormKey) == 0 {
		return nil, errors.New("helpcenter: DB, Channels, Inbound, Limits, Domain and FormKey are needed")
	}
	base, err := url.Parse(c.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("helpcenter: base address: %w", err)
	}
	hosts := map[string]string{}
	for host, slug := range c.Hosts {
		hosts[slug] = host
	}
	return &Service{
		cfg: c, base: base, hosts: hosts,
		sites: cache.New(cache.Options[string, *cachedSite]{Most: keptSites}),
		pages: cache.New(cache.Options[pageKey, *page]{
			Most:   keptBytes,
			Weight: func(k pageKey, p *page) uint32 { return uint32(len(k.path) + len(p.body) + 200) },
		}),
		indexes: cache.New(cache.Options[indexKey, *articleIndex]{Most: keptIndexes}),
	}, nil
}

// siteURL returns the address of a workspace's site: on its own host, if it has one.
func (s *Service) siteURL(slug string) string {
	host := cmp.Or(s.hosts[slug], slug+".help."+s.cfg.Domain)
	if port := s.base.Port(); port != "" {
		host += ":" + port
	}
	return s.base.Scheme + "://" + host
}

// siteChanged increases the revision of the site and makes this node read it again after
// the commit.
func (s *Service) siteChanged(tx *db.Tx) error {
	if err := nextRevision(tx); err != nil {
		return err
	}
	slug := caller.From(tx.Context()).Slug
	tx.AfterCommit(func() { s.sites.Remove(slug) })
	return nil
}

var _ channel.Kind = (*Service)(nil)

// Route implements channel.Kind. Answers cannot be sent through the site: an agent links
// the address that the customer entered, and answers by e-mail.
func (s *Service) Route(*db.Reader, channel.Account, contact.Contact) (*conversation.Route, error) {
	return nil, nil
}

// Take implements channel.Kind; nothing is ever sent through a help center.
func (s *Service) Take(*db.Tx, conversation.Outgoing) error { return nil }

// Capabilities implements channel.Kind: nothing is sent through a help center.
func (s *Service) Capabilities() channel.Capabilities { return channel.Capabilities{} }

// Push implements channel.Kind.
func (s *Service) Push(context.Context, conversation.Outgoing) (conversation.Delivery, error) {
	return conversation.Delivery{Status: conversation.NotGoing}, nil
}

// AfterChange implements channel.Kind: a paused site is no longer shown.
func (s *Service) AfterChange(tx *db.Tx, _ channel.Account, _ string) error { return s.siteChanged(tx) }
