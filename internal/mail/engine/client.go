package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/smtp"
	"net/textproto"
	"os"
	"strings"
	"time"
	"unicode"

	"konak/internal/kit/mailer"
	"konak/internal/kit/mtasts"
	"konak/internal/kit/outbound"
	"konak/internal/kit/trtext"
)

// The time a server may take for a whole mail, and for the final QUIT.
const (
	handOverTime = 5 * time.Minute
	quitTime     = 5 * time.Second
)

// maxHosts is the maximum number of servers tried for a destination.
const maxHosts = 5

// target is a server that accepts mail for a destination.
type target struct {
	host, address string
	// operator is true for a server that the operator configured.
	operator bool
	// policy is the MTA-STS policy of the destination, nil if it has none.
	policy *mtasts.Policy
	// named is true if the policy names the server, verified if the server must present a
	// valid certificate.
	named, verified bool
}

// transfer is the delivery of a mail to one destination.
type transfer struct {
	from string
	to   []string
	text *os.File
	octets
	// sessions records how the connections to the destination's servers were encrypted.
	sessions []tlsSession
}

// errNoServer means that a domain accepts no mail.
var errNoServer = errors.New("5.1.10 The domain does not accept mail")

// findServers returns the servers of a destination in the order to try them. It returns
// errNoServer if there are none.
func (s *Service) findServers(ctx context.Context, destination string) ([]target, error) {
	for _, name := range []string{destination, "*"} {
		if at, ok := s.Routes[name]; ok {
			host, _, _ := net.SplitHostPort(at)
			return []target{{host: host, address: at, operator: true}}, nil
		}
	}
	list, err := s.DNS.LookupMX(ctx, destination)
	if missing, ok := errors.AsType[*net.DNSError](err); ok && missing.IsNotFound {
		// A domain without MX records receives its mail itself (RFC 5321, 5.1).
		return s.applyPolicy(ctx, destination, []target{{host: destination, address: net.JoinHostPort(destination, "25")}})
	}
	if err != nil && len(list) == 0 {
		return nil, err
	}
	var out []target
	for _, mx := range list[:min(len(list), maxHosts)] {
		if host := strings.TrimSuffix(mx.Host, "."); host != "" {
			out = append(out, target{host: host, address: net.JoinHostPort(host, "25")})
		}
	}
	if len(out) == 0 {
		return nil, errNoServer
	}
	return s.applyPolicy(ctx, destination, out)
}

// errNotInPolicy means that none of a domain's servers is allowed by the domain's own
// policy.
var errNotInPolicy = errors.New("4.7.5 No server of the domain is in its MTA-STS policy")

// applyPolicy drops servers that are not named in the domain's policy if the policy is
// enforced; the others must then present a valid certificate. It returns errNotInPolicy if
// none is left: the mail waits, since the DNS may be forged.
func (s *Service) applyPolicy(ctx context.Context, destination string, servers []target) (out []target, err error) {
	p, err := s.STS.Find(ctx, destination)
	if err != nil || p == nil {
		return servers, err
	}
	for _, server := range servers {
		server.policy, server.named = p, p.Allows(server.host)
		if server.verified = p.Mode == mtasts.Enforce; server.verified && !server.named {
			continue
		}
		out = append(out, server)
	}
	if len(out) == 0 {
		return []target{{host: servers[0].host, policy: p}}, errNotInPolicy
	}
	return out, nil
}

// handOver hands a mail over to a server of a destination and returns the outcome for each
// recipient. An error means that no server accepted or refused any copy.
func (s *Service) handOver(ctx context.Context, destination string, t *transfer) (map[string]outcome, error) {
	servers, err := s.findServers(ctx, destination)
	switch {
	case errors.Is(err, errNoServer):
		return outcomeOfAll(t.to, StateFailed, errNoServer.Error()), nil
	case errors.Is(err, errNotInPolicy):
		t.addSession(servers[0], failedValidation)
	}
	if err != nil {
		return nil, err
	}
	outcomes, err := s.handOverTo(ctx, servers, t)
	if servers[0].operator {
		t.sessions = nil // it is not a server of the destination
	}
	return outcomes, err
}

// handOverTo hands a mail over to the first server that responds.
func (s *Service) handOverTo(ctx context.Context, servers []target, t *transfer) (outcomes map[string]outcome, err error) {
	for _, server := range servers {
		outcomes, err = s.transferOver(ctx, server, true, t)
		if errors.Is(err, errTLS) && !server.verified {
			// Broken encryption is no reason to withhold a mail: an attacker on the path
			// could have removed the STARTTLS offer as well.
			outcomes, err = s.transferOver(ctx, server, false, t)
		}
		if err == nil {
			return outcomes, nil
		}
		if missing, ok := errors.AsType[*net.DNSError](err); ok && missing.IsNotFound && len(servers) == 1 {
			return outcomeOfAll(t.to, StateFailed, answerNoDomain), nil
		}
	}
	return nil, err
}

var errTLS = errors.New("no TLS")

// transferOver holds one SMTP conversation with a server.
func (s *Service) transferOver(ctx context.Context, server target, encrypt bool, t *transfer) (map[string]outcome, error) {
	client := s.Out
	if server.operator {
		client = s.operator
	}
	// Mail servers talk without encryption if the other side offers none, so the connection
	// is made without requiring it.
	conn, err := client.Dial(ctx, server.address, false)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	outcomes, err := s.transferOn(conn, server, encrypt, t)
	return outcomes, conn.Explain(err)
}

func (s *Service) transferOn(conn *outbound.Conn, server target, encrypt bool, t *transfer) (map[string]outcome, error) {
	c, err := smtp.NewClient(conn, server.host)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	if err := c.Hello(s.Host); err != nil {
		return nil, err
	}
	if encrypt {
		conn.Renew(outbound.MaxAnswer, outbound.AnswerTime)
		if err := s.startTLS(c, server, t); err != nil {
			return nil, err
		}
	}
	from, to := t.from, t.to
	takesForeign, _ := c.Extension("SMTPUTF8")
	if !takesForeign && !isASCII(from, to...) {
		return outcomeOfAll(to, StateFailed, answerAddresses), nil
	}
	refusal, err := t.checkOctets(c)
	if err != nil {
		return nil, err
	}
	if refusal != "" {
		return outcomeOfAll(to, StateFailed, refusal), nil
	}
	conn.Renew(outbound.MaxAnswer, outbound.AnswerTime)
	if err := mailer.MailFrom(c, from, t.foreignHead || !isASCII(from, to...)); err != nil {
		return answerForAll(to, err)
	}
	outcomes := map[string]outcome{}
	var taken []string
	for _, addr := range to {
		conn.Renew(outbound.MaxAnswer, outbound.AnswerTime)
		err := c.Rcpt(addr)
		if err == nil {
			taken = append(taken, addr)
			continue
		}
		o, err := readAnswer(err)
		if err != nil {
			return nil, err
		}
		outcomes[addr] = o
	}
	if len(taken) == 0 {
		return outcomes, nil
	}
	answers, err := sendData(c, conn, taken, t.text)
	if err != nil {
		return nil, err
	}
	maps.Copy(outcomes, answers)
	return outcomes, nil
}

// isASCII reports whether all addresses are in ASCII.
func isASCII(from string, to ...string) bool {
	return !strings.ContainsFunc(from+strings.Join(to, ""), func(r rune) bool { return r > unicode.MaxASCII })
}

// sendData sends the mail itself.
func sendData(c *smtp.Client, conn *outbound.Conn, to []string, text *os.File) (map[string]outcome, error) {
	conn.Renew(outbound.MaxAnswer, handOverTime)
	w, err := c.Data()
	if err != nil {
		return answerForAll(to, err)
	}
	if _, err := text.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	if _, err := io.Copy(w, text); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return answerForAll(to, err)
	}
	// The mail is accepted; how the conversation ends no longer matters.
	conn.Renew(outbound.MaxAnswer, quitTime)
	_ = c.Quit()
	return outcomeOfAll(to, StateDelivered, "250"), nil
}

// readAnswer returns the outcome that a server's refusal means. It returns err if err is
// not a refusal.
func readAnswer(err error) (outcome, error) {
	reply, ok := errors.AsType[*textproto.Error](err)
	if !ok {
		return outcome{}, err
	}
	state := StateQueued
	if reply.Code >= 500 {
		state = StateFailed
	}
	text := fmt.Sprintf("%d %s", reply.Code, reply.Msg)
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return outcome{State: state, Answer: trtext.Cut(text, maxAnswer)}, nil
}

func answerForAll(to []string, err error) (map[string]outcome, error) {
	o, err := readAnswer(err)
	if err != nil {
		return nil, err
	}
	return outcomeOfAll(to, o.State, o.Answer), nil
}
