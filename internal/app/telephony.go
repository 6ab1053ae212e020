package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/google/uuid"

	"konak/internal/app/phonesound"
	"konak/internal/crm/telephony"
	"konak/internal/crm/telephony/block"
	"konak/internal/crm/telephony/call"
	"konak/internal/crm/telephony/greeting"
	"konak/internal/crm/telephony/line"
	"konak/internal/crm/telephony/number"
	"konak/internal/crm/telephony/setting"
	"konak/internal/crm/telephony/socket"
	"konak/internal/crm/telephony/team"
	"konak/internal/crm/telephony/wallet"
	"konak/internal/exchange"
	"konak/internal/exchange/speech"
	"konak/internal/kit/secret"
	"konak/internal/provider/iyzico"
	"konak/internal/provider/twilio"
	bank "konak/internal/sandbox/iyzico"
	carrier "konak/internal/sandbox/twilio"
)

// wireTelephony builds telephony, the wallet that pays for it, the numbers, and who has a
// phone.
func (a *App) wireTelephony(p *parts) (err error) {
	payments, err := a.paymentProvider(p)
	if err != nil {
		return err
	}
	if a.Wallet, err = wallet.New(wallet.Config{
		DB: a.DB, Box: p.box, Log: a.log, Bank: payments, Currency: cmp.Or(a.cfg.WalletCurrency, "TRY"), BaseURL: a.cfg.BaseURL(),
	}); err != nil {
		return err
	}
	numbers, err := a.numberProvider(p)
	if err != nil {
		return err
	}
	if a.Numbers, err = number.New(number.Config{
		DB: a.DB, Wallet: a.Wallet, Provider: numbers, MonthlyFee: cmp.Or(a.cfg.NumberFee, 50*wallet.Micro),
	}); err != nil {
		return err
	}
	if a.Greetings, err = greeting.New(greeting.Config{
		DB: a.DB, Wallet: a.Wallet, Blobs: a.Blobs, Checker: phonesound.Checker{}, Synthesizer: a.synthesizer(), Fee: cmp.Or(a.cfg.SpeechFee, wallet.Micro/10),
	}); err != nil {
		return err
	}
	if err := a.wirePhones(); err != nil {
		return err
	}
	a.Telephony = telephony.New(telephony.Config{
		SwitchURL: a.cfg.TelephonySwitch, Number: a.Numbers, Line: a.PhoneLine, OutsideLine: a.cfg.SIPTrunkServer != "",
	})
	return a.wireCalls(p)
}

// wireCalls builds the calls and their socket.
func (a *App) wireCalls(p *parts) (err error) {
	rates, err := call.ReadRates(a.cfg.CallRates)
	if err != nil {
		return err
	}
	a.Calls, err = call.New(call.Config{
		DB: a.DB, Log: a.log, Wallet: a.Wallet, Team: a.PhoneTeam, Settings: a.PhoneSettings, Blocks: a.PhoneBlocks, Line: a.PhoneLine,
		Numbers: a.Numbers, Greetings: a.Greetings, Messaging: p.messaging, Timeline: call.Conversations{Contacts: p.book, Inbox: a.Conversations}, Groups: a.Groups,
		Mail:  owners{a.Identity, a.Mailer, a.cfg.BaseURL()},
		Rates: rates, Outside: a.cfg.outsideTrunk(), Exchange: a.Exchange,
	})
	if err != nil {
		return err
	}
	a.PhoneSocket, err = socket.New(socket.Config{
		DB: a.DB, Log: a.log, Calls: a.Calls, Sessions: a.Identity, Streams: p.streams, BaseURL: a.cfg.BaseURL(),
	})
	return err
}

// outsideTrunk returns the operator's line; nil if there is none.
func (c *Config) outsideTrunk() *exchange.Trunk {
	if c.SIPTrunkServer == "" {
		return nil
	}
	return &exchange.Trunk{
		ID: uuid.NewSHA1(uuid.Nil, []byte(c.SIPTrunkServer)), Server: c.SIPTrunkServer, Transport: c.SIPTrunkOver, Username: c.SIPTrunkUser,
		Password: secret.Of(c.SIPTrunkSecret), Encryption: exchange.Encryption(c.SIPTrunkMedia),
	}
}

// wirePhones builds the assignment of phones, the block list, and the workspace's telephone
// settings.
func (a *App) wirePhones() (err error) {
	if a.PhoneBlocks, err = block.New(a.DB); err != nil {
		return err
	}
	if a.PhoneSettings, err = setting.New(setting.Config{DB: a.DB, Agents: a.Identity, Groups: a.Groups}); err != nil {
		return err
	}
	phones, lines := team.Config{DB: a.DB, Agents: a.Identity}, line.Config{DB: a.DB}
	if a.Exchange != nil {
		phones.Exchange, lines.Exchange = a.Exchange, a.Exchange
		phones.Server, phones.Transports = a.cfg.sipServer(), a.cfg.sipTransports()
	}
	if a.PhoneTeam, err = team.New(phones); err != nil {
		return err
	}
	a.PhoneLine, err = line.New(lines)
	return err
}

// sipServer returns where telephones sign in: the address that the exchange listens on,
// with the outside address in its place if there is one, or else the domain.
func (c *Config) sipServer() string {
	listen := cmp.Or(c.SIPListen, demoSIP)
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = c.Domain
	}
	return net.JoinHostPort(cmp.Or(c.SIPPublicAddress, host), port)
}

// sipTransports returns the transports over which telephones can sign in.
func (c *Config) sipTransports() []string {
	if c.SIPTLSListen != "" {
		return []string{"udp", "tcp", "tls"}
	}
	return []string{"udp", "tcp"}
}

// synthesizer finds the speech program. It returns nil if there is none.
func (a *App) synthesizer() greeting.Synthesizer {
	program, err := speech.New(cmp.Or(a.cfg.Espeak, "espeak-ng"))
	if err != nil {
		a.log.Debug("greetings cannot be spoken", "reason", err)
		return nil
	}
	return program
}

// standInAccount and standInSecret are a demo's credentials at its own stand-ins, which
// listen on loopback only.
const standInAccount = "demo"

var standInSecret = secret.Of("demo")

// paymentProvider returns a client for the operator's bank, or for a demo's own. It returns
// nil if nothing is configured.
func (a *App) paymentProvider(p *parts) (wallet.Bank, error) {
	if a.cfg.IyzicoKey != "" {
		a.bankForms = "https:" // each card has a bank of its own
		return iyzico.New(a.cfg.IyzicoAddress, a.cfg.IyzicoKey, secret.Of(a.cfg.IyzicoSecret), p.out), nil
	}
	if !a.cfg.Demo {
		return nil, nil
	}
	service := bank.New(standInAccount, standInSecret)
	address, err := a.startDemoServer("bank", service)
	service.Address, a.bankForms = address, address
	return iyzico.New(address, standInAccount, standInSecret, p.out), err
}

// numberProvider returns a client for the operator's provider of numbers, or for a demo's
// own. It returns nil if nothing is configured.
func (a *App) numberProvider(p *parts) (number.Provider, error) {
	if a.cfg.TwilioAccount != "" {
		return twilio.New(a.cfg.TwilioAddress, a.cfg.TwilioAccount, secret.Of(a.cfg.TwilioToken), p.out), nil
	}
	if !a.cfg.Demo {
		return nil, nil
	}
	address, err := a.startDemoServer("number provider", carrier.New(standInAccount, standInSecret))
	return twilio.New(address, standInAccount, standInSecret, p.out), err
}

// startDemoServer serves a stand-in on a free port of loopback and returns its
// address.
func (a *App) startDemoServer(name string, service http.Handler) (address string, err error) {
	ln, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("the demo's %s cannot listen: %w", name, err)
	}
	server := &http.Server{Handler: service, ReadHeaderTimeout: 10 * time.Second}
	a.demoServers = append(a.demoServers, server)
	go func() { _ = server.Serve(ln) }()
	return "http://" + ln.Addr().String(), nil
}

func (a *App) closeDemoServers() (err error) {
	for _, server := range a.demoServers {
		err = errors.Join(err, server.Close())
	}
	return err
}
