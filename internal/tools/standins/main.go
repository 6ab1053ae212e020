// Standins serves the stand-ins of outside services on loopback, for the
// browser tests and for trying things manually:
//
//	standins [-listen 127.0.0.1:0] turnstile|hcaptcha|whatsapp|telegram|social
//
// It prints the address. The secret is "secret", the site key "site"; WhatsApp's
// number is "11" of the business "1", its token "token"; Telegram's bot is "77",
// its token "77:token"; the page is "111" of the app "4711", its token "page-token".
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"konak/internal/kit/clock"
	wire "konak/internal/provider/whatsapp"
	"konak/internal/sandbox/hcaptcha"
	"konak/internal/sandbox/social"
	"konak/internal/sandbox/telegram"
	"konak/internal/sandbox/turnstile"
	"konak/internal/sandbox/whatsapp"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address to listen on")
	flag.Parse()
	if err := serve(*listen, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "standins:", err)
		os.Exit(1)
	}
}

func serve(listen, name string) error {
	graph := whatsapp.New(clock.System{})
	graph.Add(whatsapp.Business{
		ID: "1", Token: "token", AppSecret: "secret", Numbers: []wire.PhoneNumber{{ID: "11", Display: "+90 212 555 01 01", VerifiedName: "Demo"}},
	})
	chats := telegram.New(clock.System{})
	chats.PollFor = 25 * time.Second
	chats.Add(telegram.Bot{ID: 77, Name: "Demo", Username: "demo_bot", Token: "77:token"})
	pages := social.New(clock.System{})
	pages.AddApp(social.App{ID: "4711", Secret: "secret"})
	pages.Add(social.Page{ID: "111", Name: "Demo", Token: "page-token", InstagramID: "ig111", Username: "demo", AppID: "4711"})
	services := map[string]http.Handler{
		"social":    pages,
		"turnstile": turnstile.New("secret"), "hcaptcha": hcaptcha.New("secret", "site"), "whatsapp": graph, "telegram": chats,
	}
	service, ok := services[name]
	if !ok {
		return fmt.Errorf("%q is not a service; use turnstile, hcaptcha, whatsapp, telegram or social", name)
	}
	ln, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	fmt.Println("http://" + ln.Addr().String())
	return (&http.Server{Handler: service, ReadHeaderTimeout: 10 * time.Second}).Serve(ln)
}
