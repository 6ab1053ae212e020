package engine

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/caller"
	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
	"konak/internal/kit/mtasts"
	"konak/internal/kit/outbound"
)

// Once a day, a workspace's domain reports to other domains that ask for it how the
// connections to their mail servers were encrypted (RFC 8460).

// maxReportTargets is the maximum number of targets of one report.
const maxReportTargets = 5

// tlsCount is the number of sessions with a server that had the same result.
type tlsCount struct {
	Policy   *mtasts.Policy `json:"policy"`
	Server   string         `json:"server"`
	Failure  string         `json:"failure"`
	Sessions int64          `json:"sessions"`
}

// tlsReportPayload is the payload of a tlsReportJob.
type tlsReportPayload struct {
	ID          uuid.UUID  `json:"id"`
	Day         time.Time  `json:"day"`
	Sender      string     `json:"sender"` // the workspace's domain
	Destination string     `json:"destination"`
	Counts      []tlsCount `json:"counts"`
}

const tlsReportJob = "mail.tls_report"

// countSessions counts the sessions used for a mail of a mailbox. If counting fails the
// count is lost: it must not delay the mail.
func (s *Service) countSessions(ctx context.Context, m *queued, destination string, t *transfer) {
	if m.Origin != OriginSubmission || len(t.sessions) == 0 {
		return
	}
	err := s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		for _, x := range t.sessions {
			if err := addTLSSession(tx, destinationOf(m.Sender), destination, x); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.Log.Warn("TLS sessions with a mail server could not be counted", "error", err)
	}
}

// ReportTLS enqueues a job for each past day of sessions with a destination, and returns
// the number of days.
func (s *Service) ReportTLS(ctx context.Context) (n int, err error) {
	days, err := db.Read(ctx, s.DB.System("janitor"), func(r *db.Reader) ([]tlsDay, error) {
		return endedTLSDays(r, s.DB.Clock().Now(), cleanBatch)
	})
	if err != nil {
		return 0, err
	}
	for _, d := range days {
		err := s.DB.Tenant(d.tenant).InTx(ctx, func(tx *db.Tx) error {
			counts, err := takeTLSDay(tx, d)
			if err != nil || len(counts) == 0 {
				return err
			}
			_, err = jobs.Enqueue(tx, tlsReportJob, tx.Now(), tlsReportPayload{tx.NewID(), d.day.Time, d.sender, d.destination, counts})
			return err
		})
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// sendTLSReport is the handler of tlsReportJob: it sends a report to the targets that the
// destination names, if any.
func (s *Service) sendTLSReport(ctx context.Context, j *jobs.Job, p tlsReportPayload) error {
	targets, err := s.findReportTargets(ctx, p.Destination)
	if err != nil || len(targets) == 0 {
		return err
	}
	report, err := p.compress(s.Host)
	if err != nil {
		return err
	}
	var failed error
	for _, to := range targets {
		if to.Scheme == "https" {
			failed = errors.Join(failed, s.postTLSReport(ctx, to, report))
		} else {
			failed = errors.Join(failed, s.mailTLSReport(ctx, &p, to.Opaque, report))
		}
	}
	return failed
}

// findReportTargets returns where a domain wants its reports sent: mail addresses and web
// pages. It returns none if the domain has no valid record.
func (s *Service) findReportTargets(ctx context.Context, domain string) (out []*url.URL, err error) {
	texts, err := s.DNS.LookupTXT(ctx, "_smtp._tls."+domain)
	if missing, ok := errors.AsType[*net.DNSError](err); ok && missing.IsNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	texts = slices.DeleteFunc(texts, func(t string) bool { return !strings.HasPrefix(t, "v=TLSRPTv1;") })
	if len(texts) != 1 {
		return nil, nil
	}
	for field := range strings.SplitSeq(texts[0], ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		if name != "rua" {
			continue
		}
		for text := range strings.SplitSeq(value, ",") {
			if at := parseReportTarget(strings.TrimSpace(text)); at != nil && len(out) < maxReportTargets {
				out = append(out, at)
			}
		}
	}
	return out, nil
}

// parseReportTarget returns nil if text is neither a mail address nor an https address.
func parseReportTarget(text string) *url.URL {
	at, err := url.Parse(text)
	if err != nil {
		return nil
	}
	switch at.Scheme {
	case "https":
		return at
	case "mailto":
		if to, ok := address.ParseEmail(at.Opaque); ok {
			at.Opaque = to.Key
			return at
		}
	}
	return nil
}

// postTLSReport posts a report to a web address.
func (s *Service) postTLSReport(ctx context.Context, to *url.URL, report []byte) error {
	a := s.Out.Post(ctx, to, outbound.Header{"Content-Type": {"application/tlsrpt+gzip"}}, report, s.DB.Clock().Now())
	if a.Err != nil {
		return fmt.Errorf("engine: a TLS report was not accepted: %w", a.Err)
	}
	return nil
}

// mailTLSReport puts a mail with a report into the queue, once.
func (s *Service) mailTLSReport(ctx context.Context, p *tlsReportPayload, to string, report []byte) error {
	m := queued{ID: uuid.NewSHA1(p.ID, []byte(to)), Origin: OriginReport, Subject: p.subject(s.Host), State: StateQueued}
	m.MessageID = reportID(m.ID, s.Host)
	text := p.compose(&m, s.Host, to, s.DB.Clock().Now(), report)
	signatures, err := s.sign(ctx, "postmaster@"+p.Sender, func() io.Reader { return bytes.NewReader(text) })
	if err != nil {
		return err
	}
	text = append([]byte(signatures), text...)
	if m.blob, err = s.Blobs.Put(ctx, caller.From(ctx).TenantID, bytes.NewReader(text), int64(len(text))); err != nil {
		return fmt.Errorf("engine: keep report: %w", err)
	}
	return s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		_, err := s.enqueue(tx, m, []string{to})
		return err
	})
}

func (p *tlsReportPayload) subject(host string) string {
	return fmt.Sprintf("Report Domain: %s Submitter: %s Report-ID: <%s@%s>", p.Destination, p.Sender, p.ID, host)
}

// compose builds the mail of a report (RFC 8460, 5.3).
func (p *tlsReportPayload) compose(m *queued, host, to string, now time.Time, report []byte) []byte {
	boundary := "tlsrpt-" + m.ID.String()
	name := fmt.Sprintf("%s!%s!%d!%d!%s.json.gz", p.Sender, p.Destination, p.Day.Unix(), p.end().Unix(), p.ID)
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\r\n", args...) }
	line("From: <postmaster@%s>", p.Sender)
	line("To: <%s>", to)
	line("Subject: %s", m.Subject)
	line("Date: %s", now.Format(time.RFC1123Z))
	line("Message-ID: %s", m.MessageID)
	line("TLS-Report-Domain: %s", p.Destination)
	line("TLS-Report-Submitter: %s", p.Sender)
	line("Auto-Submitted: auto-generated")
	line("MIME-Version: 1.0")
	line("Content-Type: multipart/report; report-type=\"tlsrpt\"; boundary=%q", boundary)
	line("")
	line("--%s\r\nContent-Type: text/plain; charset=us-ascii\r\n", boundary)
	line("How the connections of %s to the mail servers of %s were encrypted on %s.", p.Sender, p.Destination, p.Day.Format(time.DateOnly))
	line("\r\n--%s", boundary)
	line("Content-Type: application/tlsrpt+gzip")
	line("Content-Transfer-Encoding: base64")
	line("Content-Disposition: attachment; filename=%q\r\n", name)
	for part := range slices.Chunk(report, 57) {
		line("%s", base64.StdEncoding.EncodeToString(part))
	}
	line("--%s--", boundary)
	return b.Bytes()
}

func (p *tlsReportPayload) end() time.Time { return p.Day.Add(24*time.Hour - time.Second) }

// tlsReport is the report of RFC 8460.
type tlsReport struct {
	Organization string `json:"organization-name"`
	Range        struct {
		Start time.Time `json:"start-datetime"`
		End   time.Time `json:"end-datetime"`
	} `json:"date-range"`
	Contact  string            `json:"contact-info"`
	ID       string            `json:"report-id"`
	Policies []tlsReportPolicy `json:"policies"`
}

type tlsReportPolicy struct {
	Policy struct {
		Type    string   `json:"policy-type"`
		Lines   []string `json:"policy-string,omitempty"`
		Domain  string   `json:"policy-domain"`
		Servers []string `json:"mx-host,omitempty"`
	} `json:"policy"`
	Summary struct {
		Successful int64 `json:"total-successful-session-count"`
		Failed     int64 `json:"total-failure-session-count"`
	} `json:"summary"`
	Failures []tlsReportFailure `json:"failure-details,omitempty"`
}

type tlsReportFailure struct {
	Type     string `json:"result-type"`
	Server   string `json:"receiving-mx-hostname"`
	Sessions int64  `json:"failed-session-count"`
}

// report adds up the counts, separately for each policy.
func (p *tlsReportPayload) report(host string) tlsReport {
	out := tlsReport{Organization: p.Sender, Contact: "postmaster@" + p.Sender, ID: p.ID.String() + "@" + host}
	out.Range.Start, out.Range.End = p.Day.UTC(), p.end().UTC()
	index := map[string]int{}
	for _, c := range p.Counts {
		var one tlsReportPolicy
		one.Policy.Type, one.Policy.Domain = "no-policy-found", p.Destination
		if c.Policy != nil {
			one.Policy.Type, one.Policy.Lines, one.Policy.Servers = "sts", c.Policy.Lines(), c.Policy.Servers
		}
		key := strings.Join(one.Policy.Lines, "\n")
		i, ok := index[key]
		if !ok {
			i = len(out.Policies)
			index[key] = i
			out.Policies = append(out.Policies, one)
		}
		of := &out.Policies[i]
		if c.Failure == "" {
			of.Summary.Successful += c.Sessions
			continue
		}
		of.Summary.Failed += c.Sessions
		of.Failures = append(of.Failures, tlsReportFailure{c.Failure, c.Server, c.Sessions})
	}
	return out
}

// compress returns the report as it is sent, in gzip.
func (p *tlsReportPayload) compress(host string) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	err := errors.Join(json.NewEncoder(w).Encode(p.report(host)), w.Close())
	return b.Bytes(), err
}
