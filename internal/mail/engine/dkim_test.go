package engine_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"time"

	"konak/internal/kit/tooltest"
)

// python is the system's own Python, for which the system's packages are installed.
const python = "/usr/bin/python3"

// verifyDKIM verifies the signatures of the mail on standard input against the records in
// its first argument, and prints a 1 for each valid and a 0 for each invalid one.
const verifyDKIM = `
import dkim, json, sys
records = json.loads(sys.argv[1])
mail = dkim.DKIM(sys.stdin.buffer.read())
def find(name, timeout=5):
    return records.get(name.decode().rstrip("."), "").encode()
def check(i):
    try:
        return "1" if mail.verify(idx=i, dnsfunc=find) else "0"
    except dkim.DKIMException:
        return "0"
signatures = sum(1 for name, _ in mail.headers if name.lower() == b"dkim-signature")
print("".join(check(i) for i in range(signatures)))
`

// An independent program finds both signatures of a mail valid, and neither on a mail that
// was changed in transit.
func TestDKIMVerifiedByOtherProgram(t *testing.T) {
	t.Parallel()
	if err := exec.CommandContext(t.Context(), python, "-c", "import dkim, nacl").Run(); err != nil {
		tooltest.Missing(t, "python3-dkim", "ensure-mail-servers")
	}
	run(t, nil, func(t *testing.T, o *office) {
		mime := "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n"
		for _, mail := range []string{
			text("info@firma.example", "teklif", ""),
			text("info@firma.example", "=?utf-8?q?Te=C5=9Fekk=C3=BCr?=", mime) + "Şöyle   bir boşluk \t \r\n\r\n..nokta\r\n\r\n\r\n",
			text("info@firma.example", "uzun\r\n konu\r\n\tüç satırda", mime),
			"From: info@firma.example\r\nSubject: without a body\r\n\r\n",
		} {
			before := len(o.out.got())
			if code := o.submit(mail, "elif@other.example"); code != 250 {
				t.Fatalf("said %d", code)
			}
			o.s.Settle()
			got := o.out.got()
			if len(got) != before+1 {
				t.Fatalf("%d mails arrived", len(got))
			}
			sent := got[before].text
			if result := o.checkSignatures(sent); result != "11" {
				t.Errorf("%q: got %s", sent, result)
			}
			for what, changed := range map[string]string{
				"the body":    sent + "Bir de şu.\r\n",
				"the subject": strings.Replace(sent, "Subject: ", "Subject: x", 1),
				"the sender":  strings.Replace(sent, "From: info@", "From: patron@", 1),
				"a second to": strings.Replace(sent, "Subject: ", "To: ali@third.example\r\nSubject: ", 1),
			} {
				if result := o.checkSignatures(changed); result != "00" {
					t.Errorf("%s was changed: got %s", what, result)
				}
			}
		}
	})
}

// The keys with published records sign until the records of the new ones are seen.
func TestNewKeysSign(t *testing.T) {
	t.Parallel()
	run(t, nil, func(t *testing.T, o *office) {
		dns := base + "/domains/" + o.of.Domain.ID.String() + "/dns"
		signedAt := func() (out string) {
			t.Helper()
			before := len(o.out.got())
			if code := o.submit(text("info@firma.example", "teklif", ""), "elif@other.example"); code != 250 {
				t.Fatalf("said %d", code)
			}
			o.s.Settle()
			for _, field := range strings.Split(o.out.got()[before].text, "DKIM-Signature:")[1:] {
				_, rest, _ := strings.Cut(strings.Join(strings.Fields(field), ""), ";s=")
				selector, _, _ := strings.Cut(rest, ";")
				out += selector + " "
			}
			return out
		}
		was := o.of.Domain.Selector
		o.Owner.Post(base+"/provision/domain", map[string]any{"domain": "firma.example", "routing": "embedded", "selector": "yeni"}).Want(200)
		if got := signedAt(); got != was+"r "+was+"e " && got != was+"e "+was+"r " {
			t.Errorf("signed at %s", got)
		}
		o.s.Clock.Advance(10 * time.Second)
		o.Owner.Get(dns).Want(200).Data(&o.of)
		for _, r := range o.of.Records {
			if strings.HasPrefix(r.Purpose, "next_") {
				o.names.SetTXT(r.FQDN, r.Chunks)
			}
		}
		if got := signedAt(); !strings.Contains(got, was+"r ") {
			t.Errorf("signed at %s before the records were seen", got)
		}
		o.s.Clock.Advance(10 * time.Second)
		o.Owner.Get(dns).Want(200).Data(&o.of)
		if got := signedAt(); got != "yenir yenie " && got != "yenie yenir " {
			t.Errorf("signed at %s", got)
		}
	})
}

// checkSignatures returns python3-dkim's result for the signatures of a mail.
func (o *office) checkSignatures(mail string) string {
	o.t.Helper()
	records := map[string]string{}
	for _, r := range o.of.Records {
		if r.Type == "TXT" {
			records[r.FQDN] = r.Value
		}
	}
	list, err := json.Marshal(records)
	if err != nil {
		o.t.Fatal(err)
	}
	cmd := exec.CommandContext(o.t.Context(), python, "-c", verifyDKIM, string(list))
	cmd.Stdin = strings.NewReader(mail)
	out, err := cmd.CombinedOutput()
	if err != nil {
		o.t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}
