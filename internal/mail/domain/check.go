package domain

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"konak/internal/kit/clock"
	"konak/internal/kit/dns"
)

// maxFound is the maximum number of records shown for a name, maxFoundText the maximum
// length of each.
const (
	maxFound      = 20
	maxFoundText  = 1000
	lookupsAtOnce = 4
)

// maxSPFLookups is the maximum number of DNS queries that an SPF record may cause (RFC
// 7208, 4.6.4).
const maxSPFLookups = 10

// lookUp looks up all records and returns the results by purpose. If the name servers do
// not answer, the previous result is kept.
func (s *Service) lookUp(ctx context.Context, domain string, records []Record) map[string]Result {
	out := make(map[string]Result, len(records))
	var mu sync.Mutex
	var all sync.WaitGroup
	places := make(chan struct{}, lookupsAtOnce)
	for _, r := range records {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			result := s.lookUpOne(ctx, domain, r)
			mu.Lock()
			defer mu.Unlock()
			out[r.Purpose] = result
		})
	}
	all.Wait()
	return out
}

func (s *Service) lookUpOne(ctx context.Context, domain string, r Record) Result {
	found, err := s.DNS.Lookup(ctx, domain, r.FQDN, dnsTypes[r.Type])
	if e, ok := errors.AsType[*dns.Error](err); ok {
		kept := r.Result
		if kept.Error = e.Reason; kept.CheckedAt == nil {
			kept.Status = StatusUnreachable
		}
		return kept
	}
	result := compareRecord(r, s.Host, s.SPF, found)
	result.CheckedAt, result.Found = clock.Ptr(s.DB.Clock().Now()), []string{}
	for _, f := range found[:min(len(found), maxFound)] {
		text := strings.ToValidUTF8(f.String(), "�")
		result.Found = append(result.Found, string([]rune(text)[:min(len([]rune(text)), maxFoundText)]))
	}
	return result
}

// compareRecord compares the records found with what the record must be.
func compareRecord(r Record, host, spf string, found []dns.Record) Result {
	switch r.Purpose {
	case purposeMX:
		return judgeMX(host, found)
	case purposeOwnership:
		if slices.ContainsFunc(found, func(f dns.Record) bool { return strings.TrimSpace(f.Text) == r.Value }) {
			return Result{Status: StatusOK}
		}
		return missingOr(StatusMismatch, "wrong_value", len(found))
	case purposeSPF:
		return judgeOne(found, isSPF, func(text string) string {
			switch {
			case !hasTerm(text, spf):
				return "wrong_value"
			case countSPFLookups(text) > maxSPFLookups:
				return "too_many_lookups"
			}
			return ""
		})
	case purposeRSA, purposeEd25519, purposeNextRSA, purposeNextEd25519:
		want := parseTags(r.Value)
		return judgeOne(found, hasDKIMKey, func(text string) string {
			if got := parseTags(text); got["p"] != want["p"] || got["k"] != want["k"] && !(got["k"] == "" && want["k"] == "rsa") {
				return "wrong_key"
			}
			return ""
		})
	case purposeDMARC:
		return judgeOne(found, hasVersion("DMARC1"), func(text string) string {
			if p := strings.ToLower(parseTags(text)["p"]); p != "none" && p != "quarantine" && p != "reject" {
				return "wrong_value"
			}
			return ""
		})
	case purposeTLSReport:
		return judgeOne(found, hasVersion("TLSRPTv1"), func(text string) string {
			if parseTags(text)["rua"] == "" {
				return "wrong_value"
			}
			return ""
		})
	}
	if len(found) == 1 && found[0].String() == r.Value {
		return Result{Status: StatusOK}
	}
	return missingOr(StatusMismatch, "wrong_value", len(found))
}

func missingOr(status, reason string, found int) Result {
	if found == 0 {
		return Result{Status: StatusMissing}
	}
	return Result{Status: status, Error: reason}
}

// judgeMX requires our server to come before all others. Others behind it are allowed as
// backups.
func judgeMX(host string, found []dns.Record) Result {
	best, ours := -1, -1
	for _, f := range found {
		if f.Host == host {
			if ours < 0 || int(f.Priority) < ours {
				ours = int(f.Priority)
			}
		} else if best < 0 || int(f.Priority) < best {
			best = int(f.Priority)
		}
	}
	switch {
	case len(found) == 0:
		return Result{Status: StatusMissing}
	case ours < 0:
		return Result{Status: StatusMismatch, Error: "wrong_value"}
	case best >= 0 && best <= ours:
		return Result{Status: StatusMismatch, Error: "other_server_first"}
	}
	return Result{Status: StatusOK}
}

// judgeOne requires exactly one valid text of a kind and ignores other texts. fault returns
// what is wrong with a text, or "".
func judgeOne(found []dns.Record, isKind func(string) bool, fault func(string) string) Result {
	var texts []string
	for _, f := range found {
		if isKind(f.Text) {
			texts = append(texts, f.Text)
		}
	}
	if len(texts) == 0 {
		return Result{Status: StatusMissing}
	}
	if len(texts) > 1 {
		return Result{Status: StatusDuplicate}
	}
	if reason := fault(texts[0]); reason != "" {
		return Result{Status: StatusMismatch, Error: reason}
	}
	return Result{Status: StatusOK}
}

// isSPF reports whether a text is an SPF record (RFC 7208, 4.5).
func isSPF(text string) bool {
	version, _, _ := strings.Cut(text, " ")
	return strings.EqualFold(version, "v=spf1")
}

// hasTerm reports whether an SPF record has a term, with or without a plus before it.
func hasTerm(spf, term string) bool {
	return slices.ContainsFunc(strings.Fields(spf), func(f string) bool {
		return strings.EqualFold(strings.TrimPrefix(f, "+"), term)
	})
}

// countSPFLookups counts the terms of a record that make receivers query the DNS.
func countSPFLookups(spf string) (n int) {
	for _, f := range strings.Fields(strings.ToLower(spf)) {
		name, _, _ := strings.Cut(strings.TrimLeft(f, "+-~?"), ":")
		name, _, _ = strings.Cut(name, "/")
		name, _, _ = strings.Cut(name, "=")
		if slices.Contains([]string{"include", "a", "mx", "ptr", "exists", "redirect"}, name) {
			n++
		}
	}
	return n
}

func hasVersion(v string) func(string) bool {
	return func(text string) bool { return parseTags(text)["v"] == v }
}

// hasDKIMKey reports whether a text is a DKIM key; its version may be missing.
func hasDKIMKey(text string) bool {
	tags := parseTags(text)
	_, key := tags["p"]
	return key && (tags["v"] == "DKIM1" || tags["v"] == "")
}

// parseTags parses a list such as "v=DMARC1; p=none". Spaces inside a value are removed.
func parseTags(text string) map[string]string {
	out := map[string]string{}
	for part := range strings.SplitSeq(text, ";") {
		if name, value, ok := strings.Cut(part, "="); ok {
			out[strings.TrimSpace(name)] = strings.Join(strings.Fields(value), "")
		}
	}
	return out
}
