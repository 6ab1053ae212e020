package origin_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"konak/internal/mail/origin"
)

// suiteCase is a case of the published SPF suite.
type suiteCase struct {
	Helo     string
	Host     string
	MailFrom string `yaml:"mailfrom"`
	Result   any    // one result or a list of accepted ones
	Skip     string
}

// zone answers with the records of a suite: by name, each a map of one type to its value.
type zone map[string][]map[string]any

// find returns the values of a type at a name, following aliases.
func (z zone) find(kind, name string) (out []any, err error) {
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	for range 10 {
		alias := ""
		for _, record := range z[name] {
			for have, value := range record {
				switch have {
				case kind:
					out = append(out, value)
				case "CNAME":
					alias = strings.TrimSuffix(strings.ToLower(value.(string)), ".")
				case "TIMEOUT", "SERVFAIL", "CNAMELOOP":
					err = &net.DNSError{Err: have, Name: name, IsTemporary: have != "CNAMELOOP"}
				}
			}
		}
		if alias == "" {
			break
		}
		name = alias
	}
	if len(out) == 0 && err == nil {
		err = &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	}
	return out, err
}

func (z zone) LookupTXT(_ context.Context, name string) (out []string, err error) {
	found, err := z.find("TXT", name)
	if len(found) == 0 {
		// The suite also supports resolvers that query the old type.
		found, err = z.find("SPF", name)
	}
	for _, value := range found {
		out = append(out, strings.Join(texts(value), ""))
	}
	return out, err
}

func (z zone) LookupMX(_ context.Context, name string) (out []*net.MX, err error) {
	found, err := z.find("MX", name)
	for _, value := range found {
		pair := value.([]any)
		out = append(out, &net.MX{Pref: uint16(pair[0].(int)), Host: pair[1].(string)})
	}
	return out, err
}

func (z zone) LookupIPAddr(_ context.Context, name string) (out []net.IPAddr, err error) {
	four, err := z.find("A", name)
	six, also := z.find("AAAA", name)
	for _, value := range slices.Concat(four, six) {
		for _, text := range texts(value) {
			out = append(out, net.IPAddr{IP: net.ParseIP(text)})
		}
	}
	switch dns, ok := errors.AsType[*net.DNSError](err); {
	case len(out) > 0:
		return out, nil
	case ok && dns.IsNotFound:
		return nil, also
	default:
		return nil, err
	}
}

func (z zone) LookupAddr(_ context.Context, addr string) (out []string, err error) {
	found, err := z.find("PTR", reverseName(netip.MustParseAddr(addr)))
	for _, value := range found {
		out = append(out, strings.TrimSuffix(value.(string), ".")+".")
	}
	return out, err
}

func (z zone) LookupHost(context.Context, string) ([]string, error) {
	return nil, &net.DNSError{Err: "no such host", IsNotFound: true}
}

// texts returns a value that is a text or a list of texts as a list.
func texts(value any) (out []string) {
	if list, ok := value.([]any); ok {
		for _, one := range list {
			out = append(out, fmt.Sprint(one))
		}
		return out
	}
	return []string{fmt.Sprint(value)}
}

// reverseName returns the name for a reverse lookup of an address.
func reverseName(a netip.Addr) string {
	suffix := map[bool]string{true: ".in-addr.arpa", false: ".ip6.arpa"}[a.Unmap().Is4()]
	return origin.Reversed(a) + suffix
}

// suiteFile returns the openspf.org suite for RFC 7208, which is included in the library.
func suiteFile(tb testing.TB) string {
	tb.Helper()
	dir, err := exec.CommandContext(tb.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "blitiri.com.ar/go/spf").Output()
	if err != nil {
		tb.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(dir)), "testdata", "rfc7208-tests.yml")
}

// Results match the published SPF suite, except for cases that the library skips and marks:
// letters that are invalid in names, and mistakes after a match.
func TestPublishedSPFSuite(t *testing.T) {
	t.Parallel()
	file, err := os.Open(suiteFile(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	seen := 0
	for read := yaml.NewDecoder(file); ; {
		var suite struct {
			Description string
			Tests       map[string]suiteCase
			ZoneData    map[string][]map[string]any `yaml:"zonedata"`
		}
		if err := read.Decode(&suite); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		z := zone{}
		for name, records := range suite.ZoneData {
			z[strings.ToLower(name)] = records
		}
		for name, one := range suite.Tests {
			if one.Skip != "" {
				continue
			}
			seen++
			mail := mailFrom("a@unrelated.test")
			got := origin.New(origin.Config{DNS: z, Host: "mx.konak.example"}).Check(t.Context(), origin.Mail{
				Address: netip.MustParseAddr(one.Host), Hello: one.Helo, From: one.MailFrom, Header: headerOf(t, mail),
				Open: func() io.Reader { return strings.NewReader(mail) },
			})
			value, _, _ := strings.Cut(strings.TrimPrefix(got.Summary, "spf="), " ")
			if want := texts(one.Result); !slices.Contains(want, value) {
				t.Errorf("%s, %s: %s, want %v", suite.Description, name, value, want)
			}
		}
	}
	if seen < 170 {
		t.Errorf("only %d cases were read", seen)
	}
}
