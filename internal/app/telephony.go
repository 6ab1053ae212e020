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
	"konak/internal/crm/telephony/wallet"
	"konak/internal/kit/secret"
	"konak/internal/provider/iyzico"
	bank "konak/internal/sandbox/iyzico"
)

// wireTelephony makes telephony and the wallet that pays for it.
func (a *App) wireTelephony(p *parts) (err error) {
	a.Telephony = telephony.New(telephony.Config{SwitchURL: a.cfg.TelephonySwitch})
	key, secretKey, address := a.cfg.IyzicoKey, secret.Of(a.cfg.IyzicoSecret), a.cfg.IyzicoAddress
	if a.cfg.Demo && key == "" {
		if a.bank, err = startBank(); err != nil {
			return err
		}
		key, secretKey, address = bankKey, bankSecret, a.bank.url
	}
	var payments wallet.Bank // none where nothing is configured
	if key != "" {
		payments = iyzico.New(address, key, secretKey, p.out)
	}
	a.Wallet, err = wallet.New(wallet.Config{
		DB: a.DB, Box: p.box, Log: a.log, Bank: payments, Currency: cmp.Or(a.cfg.WalletCurrency, "TRY"), BaseURL: a.cfg.BaseURL(),
	})
	return err
}

// The account that a demo has at its bank, which listens on loopback only.
const bankKey = "demo"

var bankSecret = secret.Of("demo")

// bankStandIn is the bank of a demo. It takes no money.
type bankStandIn struct {
	server *http.Server
	url    string
}

func startBank() (*bankStandIn, error) {
	ln, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("the stand-in for the bank cannot listen: %w", err)
	}
	service := bank.New(bankKey, bankSecret)
	service.Address = "http://" + ln.Addr().String()
	s := &bankStandIn{url: service.Address, server: &http.Server{Handler: service, ReadHeaderTimeout: 10 * time.Second}}
	go func() { _ = s.server.Serve(ln) }()
	return s, nil
}

func (s *bankStandIn) close() error {
	if s == nil {
		return nil
	}
	if err := s.server.Close(); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
