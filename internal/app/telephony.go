package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"konak/internal/crm/telephony"
	"konak/internal/crm/telephony/greeting"
	"konak/internal/crm/telephony/number"
	"konak/internal/crm/telephony/wallet"
	"konak/internal/exchange/speech"
	"konak/internal/kit/secret"
	"konak/internal/provider/iyzico"
	"konak/internal/provider/twilio"
	bank "konak/internal/sandbox/iyzico"
	carrier "konak/internal/sandbox/twilio"
)

// wireTelephony makes telephony, the wallet that pays for it, and the numbers.
func (a *App) wireTelephony(p *parts) (err error) {
	a.Telephony = telephony.New(telephony.Config{SwitchURL: a.cfg.TelephonySwitch})
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
	a.Greetings, err = greeting.New(greeting.Config{
		DB: a.DB, Wallet: a.Wallet, Synthesizer: a.synthesizer(), Fee: cmp.Or(a.cfg.SpeechFee, wallet.Micro/10),
	})
	return err
}

// synthesizer finds the program that speaks. It returns nil where there is none.
func (a *App) synthesizer() greeting.Synthesizer {
	program, err := speech.New(cmp.Or(a.cfg.Espeak, "espeak-ng"))
	if err != nil {
		a.log.Debug("greetings cannot be spoken", "reason", err)
		return nil
	}
	return program
}

// standInAccount and standInSecret are how a demo is known to its own stand-ins, which
// listen on loopback only.
const standInAccount = "demo"

var standInSecret = secret.Of("demo")

// paymentProvider makes the client of the operator's bank, or of a demo's own. It
// returns nil where nothing is configured.
func (a *App) paymentProvider(p *parts) (wallet.Bank, error) {
	if a.cfg.IyzicoKey != "" {
		return iyzico.New(a.cfg.IyzicoAddress, a.cfg.IyzicoKey, secret.Of(a.cfg.IyzicoSecret), p.out), nil
	}
	if !a.cfg.Demo {
		return nil, nil
	}
	service := bank.New(standInAccount, standInSecret)
	address, err := a.startDemoServer("bank", service)
	service.Address = address
	return iyzico.New(address, standInAccount, standInSecret, p.out), err
}

// numberProvider makes the client of whom the operator rents numbers from, or of a
// demo's own. It returns nil where nothing is configured.
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
