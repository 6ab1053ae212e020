package app_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"konak/internal/app"
	"konak/internal/app/apptest"
	bank "konak/internal/sandbox/iyzico"
)

// The program's output when it crashes during a payment contains no card data.
func TestKillWithACardInMemory(t *testing.T) {
	t.Parallel()
	received := make(chan string, 1)
	over := make(chan struct{})
	iyzico := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		received <- string(body)
		<-over
	}))
	t.Cleanup(iyzico.Close)
	t.Cleanup(func() { close(over) })
	p, err := start(t.Context(), "--data="+t.TempDir(), "--iyzico-key=key", "--iyzico-secret=secret", "--iyzico-address="+iyzico.URL)
	if err != nil {
		t.Fatal(err)
	}
	in, err := newClient(p.url, "").post(t.Context(), "/api/v1/auth/sign-in", "", map[string]any{"email": "owner@demo.localhost", "password": app.DemoPassword})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = newClient(p.url, in.Data.Token).post(t.Context(), "/api/crm/v1/telephony/wallet/topup", "", apptest.TopUpBody(20_000_000, bank.CardGood))
	}()
	if body := <-received; !strings.Contains(body, bank.CardGood) {
		t.Fatalf("the bank was asked %s", body)
	}
	if err := p.cmd.Process.Signal(syscall.SIGQUIT); err != nil { // as a crash, with all goroutines
		t.Fatal(err)
	}
	<-p.done
	dump := p.logs.String()
	if !strings.Contains(dump, "wallet.(*Service)") {
		t.Errorf("the dump does not show the payment: %.2000s", dump)
	}
	if strings.Contains(dump, bank.CardGood) {
		t.Error("a card number is in the dump")
	}
}
