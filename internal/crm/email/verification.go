package email

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/crm/email/message"
	"konak/internal/kit/address"
	"konak/internal/kit/clock"
	"konak/internal/kit/limit"
	"konak/internal/kit/mailer"
)

// The server that sends a mailbox's mail.
const (
	OwnServer      = "own"
	OperatorServer = "operator"
)

// How an address was verified.
const (
	ByCode = "code"
	ByDNS  = "dns"
	// byOutbox is a code that was only kept in the outbox, because the operator had no mail
	// server. It proves nothing about who owns the address, and is valid only while no mail
	// leaves the installation.
	byOutbox = "outbox"
)

// Limits of a mailed code.
const (
	codeLife     = 15 * time.Minute
	codeAttempts = 5
)

// How often a workspace may request a code, for one address and in total, and a DNS lookup.
var (
	codesOfAddress   = limit.Policy{Name: "sender-code", Burst: 5, Window: 24 * time.Hour, Strict: true}
	codesOfWorkspace = limit.Policy{Name: "sender-codes", Burst: 20, Window: 24 * time.Hour, Strict: true}
	lookups          = limit.Policy{Name: "sender-dns", Burst: 30, Window: time.Hour, Strict: true}
)

// Sending describes how a mailbox's mail is sent.
type Sending struct {
	Server        string       `json:"server" enum:"own,operator" example:"operator" doc:"Mail server used: the mailbox's own or the operator's"`
	From          string       `json:"from" example:"mk3v9q2x7a1bc@in.konak.example" doc:"Address that mail is currently sent from. Through the operator's server this is the mailbox's own address once verified, and an address of the operator until then; replies still reach the mailbox"`
	Verified      bool         `json:"verified" doc:"Whether the workspace has proven that it owns the address. Matters only for mail through the operator's server"`
	VerifiedBy    *string      `json:"verified_by" nullable:"true" enum:"code,dns" example:"code" doc:"code: mailed to the address; dns: a DNS record of its domain"`
	VerifiedAt    *clock.Time  `json:"verified_at" nullable:"true"`
	CodeExpiresAt *clock.Time  `json:"code_expires_at" nullable:"true" doc:"When the last mailed code expires; null if no code is waiting"`
	DNSRecord     DNSRecord    `json:"dns_record" doc:"DNS record that verifies all addresses of the domain for this workspace"`
	Quota         mailer.Usage `json:"quota" doc:"Daily quota of the workspace on the operator's server"`
}

// DNSRecord is a TXT record that proves who owns a domain.
type DNSRecord struct {
	Name  string `json:"name" example:"_konak.firma.example"`
	Value string `json:"value" example:"konak-verification=5b1d0c6f2e7a49c8b3f4d6e1a2907c35"`
}

// mailedCode is a code that waits to be entered.
type mailedCode struct {
	hash      []byte
	expiresAt *clock.Time
	attempts  int
}

// usable reports whether the code may still be tried.
func (c *mailedCode) usable(now time.Time) bool {
	return c.hash != nil && c.expiresAt != nil && now.Before(c.expiresAt.Time) && c.attempts < codeAttempts
}

// verification is how and when an address was verified.
type verification struct {
	by string
	at clock.Time
}

// hashCode returns the stored form of a code. It depends on a key of the installation,
// because six digits are quickly guessed, and on the purpose of the code: the address of
// one mailbox, mailed in one way.
func (s *Service) hashCode(tenant, account uuid.UUID, addr, mailed, code string) []byte {
	return s.mac("code", tenant.String(), account.String(), address.Fold(addr), mailed, code)
}

// dnsRecord returns the record that verifies a domain for a workspace. Its value cannot be
// computed without the installation's key.
func (s *Service) dnsRecord(tenant uuid.UUID, domain string) DNSRecord {
	return DNSRecord{
		Name:  "_konak." + domain,
		Value: "konak-verification=" + hex.EncodeToString(s.mac("domain", tenant.String(), domain)[:16]),
	}
}

func (s *Service) mac(parts ...string) []byte {
	h := hmac.New(sha256.New, s.Key)
	h.Write([]byte("sender verification\x00" + strings.Join(parts, "\x00")))
	return h.Sum(nil)
}

// mailedBy returns how a code is mailed now.
func (s *Service) mailedBy() string {
	if s.Relay.KeepsOutbox() {
		return byOutbox
	}
	return ByCode
}

// domainOf returns the domain of an address in a form for comparison.
func domainOf(addr string) string {
	return address.Fold(strings.TrimSuffix(addr[strings.LastIndex(addr, "@")+1:], "."))
}

// operatorAddress returns the address that an unverified mailbox sends from: the forwarding
// address, so that bounces arrive, or the operator's own address if this installation
// receives no mail.
func (s *Service) operatorAddress(st state) string {
	if s.Domain != "" {
		return st.local + "@" + s.Domain
	}
	return s.Relay.Sender()
}

// sender is the sender of a mail and the address for answers.
type sender struct {
	from    message.Address
	replyTo string
}

// senderOf returns the sender of a mailbox's mail. Without its own server and without a
// verified address that is an operator's address under the mailbox's name; answers go to
// replyTo, or else to the mailbox's address.
func (s *Service) senderOf(set Settings, st state, v *verification, replyTo string) sender {
	own := message.Address{Name: set.SenderName, Email: set.Address}
	if set.SMTP != nil || v != nil {
		return sender{own, replyTo}
	}
	own.Email = s.operatorAddress(st)
	if strings.Contains(own.Name, "@") {
		own.Name = "" // some mail programs show only the name, and this one looks like an address
	}
	return sender{own, cmp.Or(replyTo, set.Address)}
}

// codeMail is the mail that carries a code.
func codeMail(to, code, language string) mailer.Mail {
	l := mailer.Mail{
		To: to, Language: language, Subject: "Your verification code", Greeting: "Hello,",
		Body: []string{
			"Someone wants to send mail from this address with Konak. To allow it, enter this code on the mailbox's page:",
			code,
		},
		After: []string{"The code is valid for 15 minutes. If you know nothing about this, do not give the code to anyone: without it, nothing is sent from your address."},
	}
	if language == "tr" {
		l.Subject, l.Greeting = "Doğrulama kodunuz", "Merhaba,"
		l.Body[0] = "Bu adresten Konak ile posta gönderilmek isteniyor. İzin vermek için bu kodu posta kutusunun sayfasına girin:"
		l.After = []string{"Kod 15 dakika geçerlidir. Bundan haberiniz yoksa kodu kimseye vermeyin: kod olmadan adresinizden hiçbir şey gönderilmez."}
	}
	return l
}
