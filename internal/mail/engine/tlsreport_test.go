package engine_test

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"konak/internal/app"
	"konak/internal/kit/db"
	"konak/internal/kit/mtasts"
	"konak/internal/mail/engine"
)

// A domain that requests it gets a daily report on how connections to it were encrypted.
func TestTLSReport(t *testing.T) {
	t.Parallel()
	zone := published{"_smtp._tls.other.example": "v=TLSRPTv1; rua=mailto:tls@other.example"}
	run(t, func(c *app.Config) { c.MailDNS = zone }, func(t *testing.T, o *office) {
		enforced := &mtasts.Policy{Mode: mtasts.Enforce, Servers: []string{"mx.other.example"}, MaxAge: time.Hour}
		for _, c := range []struct {
			destination, failure string
			policy               *mtasts.Policy
			times                int
		}{
			{"other.example", "", enforced, 3}, {"other.example", "certificate-expired", enforced, 2}, {"other.example", "", nil, 1}, {"third.example", "", nil, 1},
		} {
			for range c.times {
				if err := o.s.Engine.CountSession(o.Context(), "firma.example", c.destination, "mx.other.example", c.failure, c.policy); err != nil {
					t.Fatal(err)
				}
			}
		}
		report := func(want int) {
			t.Helper()
			if n, err := o.s.Engine.ReportTLS(t.Context()); n != want || err != nil {
				t.Errorf("%d reports, want %d: %v", n, want, err)
			}
			o.s.Settle()
		}
		day := o.s.Clock.Now().UTC().Truncate(24 * time.Hour)
		report(0) // the day is not over
		o.s.Clock.Advance(24 * time.Hour)
		report(2)
		report(0)
		got := o.out.got()
		if len(got) != 1 || got[0].from != "" || len(got[0].to) != 1 || got[0].to[0] != "tls@other.example" {
			t.Fatalf("got %+v", got)
		}
		text := got[0].text
		if field(text, "From") != "<postmaster@firma.example>" || field(text, "TLS-Report-Domain") != "other.example" || field(text, "TLS-Report-Submitter") != "firma.example" ||
			strings.Count(text, "; d=firma.example;") != 2 || !strings.HasPrefix(field(text, "Subject"), "Report Domain: other.example Submitter: firma.example Report-ID: <") {
			t.Errorf("got %s", text)
		}
		var r map[string]any
		if err := json.Unmarshal(unpackReport(t, text), &r); err != nil {
			t.Fatal(err)
		}
		delete(r, "report-id")
		sts := map[string]any{
			"policy": map[string]any{
				"policy-type": "sts", "policy-domain": "other.example", "mx-host": []any{"mx.other.example"},
				"policy-string": []any{"version: STSv1", "mode: enforce", "mx: mx.other.example", "max_age: 3600"},
			},
			"summary":         map[string]any{"total-successful-session-count": 3.0, "total-failure-session-count": 2.0},
			"failure-details": []any{map[string]any{"result-type": "certificate-expired", "receiving-mx-hostname": "mx.other.example", "failed-session-count": 2.0}},
		}
		none := map[string]any{
			"policy":  map[string]any{"policy-type": "no-policy-found", "policy-domain": "other.example"},
			"summary": map[string]any{"total-successful-session-count": 1.0, "total-failure-session-count": 0.0},
		}
		policies, _ := r["policies"].([]any)
		if len(policies) == 2 && cmp.Equal(policies[0], any(none)) {
			policies[0], policies[1] = policies[1], policies[0]
		}
		want := map[string]any{
			"organization-name": "firma.example", "contact-info": "postmaster@firma.example", "policies": []any{sts, none},
			"date-range": map[string]any{"start-datetime": day.Format(time.RFC3339), "end-datetime": day.Add(24*time.Hour - time.Second).Format(time.RFC3339)},
		}
		if diff := cmp.Diff(want, r); diff != "" {
			t.Error(diff)
		}
	})
}

// unpackReport returns the content of a report's file.
func unpackReport(t *testing.T, text string) []byte {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/report" || params["report-type"] != "tlsrpt" {
		t.Fatalf("%s: %v", kind, err)
	}
	parts := multipart.NewReader(m.Body, params["boundary"])
	for {
		p, err := parts.NextPart()
		if err != nil {
			t.Fatal(err)
		}
		if p.Header.Get("Content-Type") != "application/tlsrpt+gzip" {
			continue
		}
		z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, p))
		if err != nil {
			t.Fatal(err)
		}
		out, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
}

// A report is posted to a web address, and posted again if it was not accepted.
func TestPostReport(t *testing.T) {
	t.Parallel()
	o := newOffice(t, db.SQLite, nil)
	status := http.StatusCreated
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err != nil || string(body) != "report" || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/tlsrpt+gzip" {
			t.Errorf("got %s %v %q, %v", r.Method, r.Header, body, err)
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(page.Close)
	to, err := url.Parse(page.URL)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.s.Engine.PostReport(t.Context(), to, []byte("report")); err != nil {
		t.Error(err)
	}
	status = http.StatusServiceUnavailable
	if err := o.s.Engine.PostReport(t.Context(), to, []byte("report")); err == nil {
		t.Error("a report that was not taken is forgotten")
	}
}

// Policies of other domains are stored until they expire.
func TestPolicyStore(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		store, now := engine.PolicyStore{DB: o.s.DB}, o.s.Clock.Now()
		if k, err := store.Load(t.Context(), "kaya.example"); k.Policy != nil || err != nil {
			t.Errorf("got %+v, %v", k, err)
		}
		var want mtasts.Kept
		for _, id := range []string{"1", "2"} {
			want = mtasts.Kept{ID: id, Policy: &mtasts.Policy{Mode: mtasts.Enforce, Servers: []string{"mx" + id + ".kaya.example"}, MaxAge: time.Hour}, Expires: now.Add(time.Hour)}
			if err := store.Save(t.Context(), "kaya.example", want); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := store.Load(t.Context(), "kaya.example"); err != nil || !cmp.Equal(got, want) {
			t.Errorf("got %+v, %v", got, err)
		}
		for _, expired := range []int{0, 1} {
			if n, err := o.s.Engine.CleanQueue(t.Context()); n != expired || err != nil {
				t.Errorf("cleaned %d, want %d: %v", n, expired, err)
			}
			o.s.Clock.Advance(2 * time.Hour)
		}
		if k, err := store.Load(t.Context(), "kaya.example"); k.Policy != nil || err != nil {
			t.Errorf("expired: got %+v, %v", k, err)
		}
	})
}
