package domain

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"strings"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/dns"
)

// The purposes of the records.
const (
	purposeOwnership = "ownership"
	purposeMX        = "mx"
	purposeSPF       = "spf"
	purposeRSA       = "dkim_rsa"
	purposeEd25519   = "dkim_ed25519"
	purposeDMARC     = "dmarc"
	purposeTLSReport = "tls_report"

	// Records of waiting keys.
	purposeNextRSA     = "next_dkim_rsa"
	purposeNextEd25519 = "next_dkim_ed25519"

	purposeSubmissions = "submissions"
)

// notOffered are services that mail programs look for and that this server does not offer.
var notOffered = []string{"imap", "pop3", "pop3s", "submission"}

// The statuses of a record.
const (
	StatusOK          = "ok"
	StatusMissing     = "missing"
	StatusMismatch    = "mismatch"
	StatusDuplicate   = "duplicate"
	StatusUnreachable = "unreachable"
)

const (
	recordTTL   = 300
	mxPriority  = 10
	maxTXTChunk = 255
)

// Result is the result of looking up a record.
type Result struct {
	Status    string      `json:"status" enum:"ok,missing,mismatch,duplicate,unreachable" example:"ok"`
	Found     []string    `json:"found" nullable:"false" example:"[\"10 mail.konak.example.\"]" doc:"Values found at this name"`
	Error     string      `json:"error" example:"" doc:"Why the last check got no answer (timeout, server_failed, unreachable), or what is wrong (other_server_first, too_many_lookups, wrong_key, wrong_value)"`
	CheckedAt *clock.Time `json:"checked_at" nullable:"true" doc:"When the name servers last answered"`
}

// Record is a DNS record that a domain needs, with its lookup result.
type Record struct {
	Purpose  string   `json:"purpose" example:"mx"`
	Host     string   `json:"host" example:"@" doc:"Name without the domain, as many DNS providers require"`
	FQDN     string   `json:"fqdn" example:"example.com"`
	Type     string   `json:"type" enum:"TXT,MX,SRV" example:"MX"`
	TTL      int      `json:"ttl" example:"300"`
	Priority *int     `json:"priority,omitempty" example:"10"`
	Value    string   `json:"value" example:"mail.konak.example."`
	Chunks   []string `json:"value_chunks" nullable:"false" doc:"The value split into strings of at most 255 bytes, as stored in DNS"`
	Required bool     `json:"required" doc:"Whether the domain needs this record to become active"`
	Result
}

// dnsTypes maps names to record types.
var dnsTypes = map[string]dns.Type{"TXT": dns.TXT, "MX": dns.MX, "SRV": dns.SRV}

// recordsOf lists the records that a domain needs, with their lookup results. An existing
// SPF record is completed, not duplicated.
func (s *Service) recordsOf(tenant uuid.UUID, d *row) []Record {
	out := []Record{
		textRecord(purposeOwnership, "_verify", s.ownershipValue(tenant, d.Domain.Domain), true),
		{Purpose: purposeMX, Type: "MX", Priority: new(mxPriority), Value: s.Host + ".", Required: true},
		textRecord(purposeSPF, "", s.spfValue(d.results[purposeSPF].Found), true),
		rsaRecord(purposeRSA, d.Selector, d.keys, true),
		ed25519Record(purposeEd25519, d.Selector, d.keys),
		textRecord(purposeDMARC, "_dmarc", "v=DMARC1; p=none; rua=mailto:"+dmarcReports+"@"+d.Domain.Domain, true),
		textRecord(purposeTLSReport, "_smtp._tls", "v=TLSRPTv1; rua=mailto:"+tlsReports+"@"+d.Domain.Domain, false),
	}
	if d.NextSelector != "" {
		out = append(out, rsaRecord(purposeNextRSA, d.NextSelector, d.next, false), ed25519Record(purposeNextEd25519, d.NextSelector, d.next))
	}
	if _, port, err := net.SplitHostPort(s.TLSListen); err == nil {
		out = append(out, Record{Purpose: purposeSubmissions, Host: "_submissions._tcp", Type: "SRV", Value: fmt.Sprintf("0 1 %s %s.", port, s.Host)})
	}
	for _, service := range notOffered {
		out = append(out, Record{Purpose: "no_" + service, Host: "_" + service + "._tcp", Type: "SRV", Value: "0 0 0 ."})
	}
	for i := range out {
		r := &out[i]
		r.TTL, r.FQDN = recordTTL, d.Domain.Domain
		if r.Host == "" {
			r.Host = "@"
		} else {
			r.FQDN = r.Host + "." + d.Domain.Domain
		}
		if r.Chunks == nil {
			r.Chunks = []string{}
		}
		var seen bool
		if r.Result, seen = d.results[r.Purpose]; !seen {
			r.Result = Result{Status: StatusMissing, Found: []string{}}
		}
	}
	return out
}

func rsaRecord(purpose, selector string, k publicKeys, required bool) Record {
	return textRecord(purpose, selector+"r._domainkey", "v=DKIM1; k=rsa; h=sha256; p="+k.rsa, required)
}

func ed25519Record(purpose, selector string, k publicKeys) Record {
	return textRecord(purpose, selector+"e._domainkey", "v=DKIM1; k=ed25519; h=sha256; p="+k.ed25519, false)
}

func textRecord(purpose, host, value string, required bool) Record {
	r := Record{Purpose: purpose, Host: host, Type: "TXT", Value: value, Required: required}
	for rest := value; rest != ""; {
		n := min(len(rest), maxTXTChunk)
		r.Chunks, rest = append(r.Chunks, rest[:n]), rest[n:]
	}
	return r
}

// ownershipValue returns the text that proves a workspace's control of a domain. Nobody can
// compute it without the installation's key.
func (s *Service) ownershipValue(tenant uuid.UUID, domain string) string {
	h := hmac.New(sha256.New, s.Key)
	h.Write([]byte("domain ownership\x00" + tenant.String() + "\x00" + domain))
	return "platform-verify=" + hex.EncodeToString(h.Sum(nil)[:16])
}

// spfValue returns the SPF record that a domain needs. If there already is one, our term is
// inserted before its other terms.
func (s *Service) spfValue(found []string) string {
	for _, text := range found {
		if !isSPF(text) {
			continue
		}
		if hasTerm(text, s.SPF) {
			return text
		}
		return "v=spf1 " + s.SPF + text[len("v=spf1"):]
	}
	return "v=spf1 " + s.SPF + " ~all"
}

// zoneFile formats the records as a zone file.
func zoneFile(domain string, records []Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "$ORIGIN %s.\n$TTL %d\n", domain, recordTTL)
	for _, r := range records {
		value := r.Value
		switch {
		case r.Type == "TXT":
			value = `"` + strings.Join(r.Chunks, `" "`) + `"`
		case r.Priority != nil:
			value = fmt.Sprintf("%d %s", *r.Priority, value)
		}
		fmt.Fprintf(&b, "%s IN %s %s\n", r.Host, r.Type, value)
	}
	return b.String()
}
