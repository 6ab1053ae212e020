package sipexchange_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/uuid"

	"konak/internal/exchange"
	"konak/internal/exchange/sdp"
	"konak/internal/exchange/sipexchange"
)

// withAccount sends calls with the key "right" for +49301234567 to an account of tenantB.
func withAccount(account uuid.UUID) func(*sipexchange.Config) {
	return func(c *sipexchange.Config) {
		c.FindAccount = func(_ context.Context, key, dialled string) (uuid.UUID, uuid.UUID, error) {
			switch key + " " + dialled {
			case "right +49301234567":
				return tenantB, account, nil
			case "away +49301234567":
				return uuid.Nil, uuid.Nil, errors.New("the database is away")
			}
			return uuid.Nil, uuid.Nil, exchange.ErrUnknown
		}
	}
}

// secureOffer describes sound that must be encrypted.
func (p *phone) secureOffer() string {
	return strings.ReplaceAll(string(sdp.Local{
		Addr: netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(p.soundPort())), Session: 1, Version: 1,
		Codecs: []sdp.Codec{sdp.PCMU}, Keys: sdp.NoKeys, Direction: sdp.SendRecv, Crypto: sdp.NewCrypto(1, sdp.SHA180), Secure: true,
	}.Offer()), "\r\n", "\n")
}

// inviteAccount returns the INVITE of a provider.
func (p *phone) inviteAccount(user, offer string) string {
	return p.text(newCall("sip:+905321234567@wa.example", "sip:+49301234567@x", "sip:"+user+"@x;transport=TLS"), "INVITE", offer)
}

// A messaging provider's call is accepted only with its key, over TLS and encrypted, even
// from the address of the operator's carrier.
func TestProviderCallsAccount(t *testing.T) {
	t.Parallel()
	account := uuid.New()
	config, _ := newCertificate(t)
	d := startDeskOn(t, "127.0.0.1:0", config, withAccount(account), withCarrier("127.0.0.1/32", uuid.New()))
	conn, err := tls.Dial("tcp", netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(d.TLSPort())).String(), &tls.Config{InsecureSkipVerify: true})
	d.must(err)
	p := newPhoneOn(t, conn, "TLS", "provider", "")
	for user, status := range map[string]int{
		"+49301234567;konak=wrong":                                403,
		"+49301234567;konak=":                                     403,
		"+902125550199;konak=right":                               403, // another's number
		"name;konak=right":                                        403,
		"+49301234567;konak=away":                                 503,
		"+49301234567;x=1;konak=right" + strings.Repeat("0", 300): 404, // too long to be read as a key: a carrier's call to an unknown number
	} {
		p.send(p.inviteAccount(user, p.secureOffer()))
		p.response(status)
	}
	p.send(p.inviteAccount("+49301234567;konak=right", p.offer(sdp.SendRecv)))
	p.response(488) // sound that everybody could hear
	clear := newPhone(t, "udp", d.Addr(), "provider", "")
	clear.send(clear.inviteAccount("+49301234567;konak=right", clear.secureOffer()))
	clear.response(403) // a key that everybody could read

	text := p.inviteAccount("+49301234567;tgrp=x;konak=right", p.secureOffer())
	p.send(text)
	e := d.event(exchange.LegIncomingEvent)
	if e.Tenant != tenantB || e.Trunk != account || e.From != "+905321234567" || e.To != "+49301234567" || e.Device != "" {
		t.Errorf("event %+v", e)
	}
	p.send(strings.Replace(text, "branch=z9hG4bK", "branch=z9hG4bKagain", 1))
	p.response(482) // the same call a second time
	d.must(d.Answer(t.Context(), tenantB, e.Leg))
	if answer := string(p.response(200).Body()); !strings.Contains(answer, "RTP/SAVP") || !strings.Contains(answer, "a=crypto:1 ") {
		t.Errorf("it is answered with %s", answer)
	}
}

// An exchange without messaging accounts refuses such calls.
func TestAccountCallsWithoutAccountsAreRefused(t *testing.T) {
	t.Parallel()
	config, _ := newCertificate(t)
	d := startDeskOn(t, "127.0.0.1:0", config)
	conn, err := tls.Dial("tcp", netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(d.TLSPort())).String(), &tls.Config{InsecureSkipVerify: true})
	d.must(err)
	p := newPhoneOn(t, conn, "TLS", "provider", "")
	p.send(p.inviteAccount("+49301234567;konak=right", p.secureOffer()))
	p.response(403)
	if plain := startDesk(t); plain.TLSPort() != 0 {
		t.Error("an exchange without TLS has a port for it")
	}
}
