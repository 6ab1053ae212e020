package app

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"konak/internal/sandbox/carrier"
	"konak/internal/sandbox/customer"
	"konak/internal/sandbox/openai"
	"konak/internal/sandbox/social"
	"konak/internal/sandbox/telegram"
	"konak/internal/sandbox/whatsapp"
)

// standIn holds a demo's replacements for outside services: its own servers on loopback, so
// that everything works without an account anywhere.
type standIn struct {
	whatsapp *whatsapp.Server
	telegram *telegram.Server
	social   *social.Server
	carrier  *carrier.Carrier // nil if the demo carries no calls or has its own line
	// customers is the page on which a visitor plays the customer.
	customers *customer.Page
	url       string
}

// demoPollFor is how long a demo's Telegram holds a poll for updates.
const demoPollFor = 25 * time.Second

// startStandIn starts the stand-ins of a demo; it returns nil for a node that is no demo or
// has services of its own.
func (a *App) startStandIn() (*standIn, error) {
	c, now := &a.cfg, a.clock
	if !c.Demo || c.WhatsAppAddress != "" || c.TelegramAddress != "" {
		return nil, nil
	}
	service, err := whatsapp.Open(now, filepath.Join(c.Data, "whatsapp-sandbox.json"))
	if err != nil {
		return nil, err
	}
	chats := telegram.New(now)
	chats.PollFor, chats.KnowsEverybody = demoPollFor, true
	pages := social.New(now)
	pages.Next, pages.KnowsEverybody = service, true
	page := customer.NewPage()
	service.OnSent, chats.OnSent, pages.OnSent = page.WatchWhatsApp, page.WatchTelegram, page.WatchPage
	bots, graph := page.Guard(customer.Telegram, chats), page.Guard(customer.Meta, pages)
	software := page.Guard(customer.App, http.HandlerFunc(page.ReceiveAnswer))
	model := openai.New()
	s := &standIn{customers: page, whatsapp: service, telegram: chats, social: pages}
	if c.CarriesCalls() && c.SIPTrunkServer == "" {
		if s.carrier, err = carrier.Start(now); err != nil {
			return nil, fmt.Errorf("the carrier's stand-in: %w", err)
		}
		service.Phone = s.carrier.Phone()
		c.SIPTrunkServer, c.SIPTrunkUser, c.SIPTrunkSecret = s.carrier.Server(), "demo", "demo" // it asks for no password
		c.SIPTrunkOver, c.SIPTrunkMedia = "udp", "off"
	}
	if s.url, err = a.startDemoServer("stand-ins", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, customer.AppPath):
			software.ServeHTTP(w, r)
		case model.Serves(r.URL.Path):
			model.ServeHTTP(w, r)
		case chats.Serves(r.URL.Path):
			bots.ServeHTTP(w, r)
		default:
			graph.ServeHTTP(w, r)
		}
	})); err != nil {
		return nil, errors.Join(err, s.carrier.Close())
	}
	return s, nil
}

// address returns the address of the service: the stand-in's, or the configured one.
func (s *standIn) address(set string) string {
	if s == nil {
		return set
	}
	return s.url
}

func (s *standIn) close() error {
	if s == nil {
		return nil
	}
	s.whatsapp.Close()
	s.telegram.Close()
	s.social.Close()
	return s.carrier.Close()
}
