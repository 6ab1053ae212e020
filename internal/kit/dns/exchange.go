package dns

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/dns/dnsmessage"

	"konak/internal/kit/clock"
)

// Limits of one exchange.
const (
	udpSize    = 1232 // the packet size that we offer to accept
	packetSize = 4 << 10
	maxStrays  = 64 // packets that answer something else
)

var (
	// errRefusing means that a server answers, but without the authority to.
	errRefusing = errors.New("the name server gives no usable answer")
	errGarbage  = errors.New("the name server's answer cannot be read")
)

// reply is a server's answer: records, an alias, or a zone below whose servers know more.
type reply struct {
	records []Record
	alias   string
	zone    string
}

// ask asks one server; it uses TCP if the answer does not fit into a packet.
func (c *Client) ask(ctx context.Context, server netip.AddrPort, zone, name string, t Type) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	n, err := dnsmessage.NewName(name)
	if err != nil {
		return reply{}, err
	}
	q := dnsmessage.Question{Name: n, Type: t, Class: dnsmessage.ClassINET}
	query, id, err := buildQuery(q)
	if err != nil {
		return reply{}, err
	}
	msg, err := c.exchange(ctx, "udp", server, query, id, q)
	if err != nil {
		return reply{}, err
	}
	if isTruncated(msg) {
		if msg, err = c.exchange(ctx, "tcp", server, query, id, q); err != nil {
			return reply{}, err
		}
	}
	return readReply(msg, zone, name, t)
}

func buildQuery(q dnsmessage.Question) (msg []byte, id uint16, err error) {
	var random [2]byte
	if _, err := rand.Read(random[:]); err != nil {
		return nil, 0, err
	}
	id = binary.BigEndian.Uint16(random[:])
	b := dnsmessage.NewBuilder(nil, dnsmessage.Header{ID: id})
	var opt dnsmessage.ResourceHeader
	if err := errors.Join(
		b.StartQuestions(), b.Question(q), b.StartAdditionals(),
		opt.SetEDNS0(udpSize, dnsmessage.RCodeSuccess, false), b.OPTResource(opt, dnsmessage.OPTResource{}),
	); err != nil {
		return nil, 0, err
	}
	msg, err = b.Finish()
	return msg, id, err
}

// exchange sends a question and returns the message that answers it.
func (c *Client) exchange(ctx context.Context, network string, server netip.AddrPort, query []byte, id uint16, q dnsmessage.Question) ([]byte, error) {
	conn, err := c.cfg.Dial(ctx, network, server)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(clock.Deadline(0)) })()
	if left, ok := clock.Left(ctx); ok {
		if err := conn.SetDeadline(clock.Deadline(left)); err != nil {
			return nil, err
		}
	}
	if network == "tcp" {
		return exchangeStream(conn, query, id, q)
	}
	if _, err := conn.Write(query); err != nil {
		return nil, err
	}
	buf := make([]byte, packetSize)
	for range maxStrays {
		n, err := conn.Read(buf)
		if err != nil {
			return nil, err
		}
		if answers(buf[:n], id, q) {
			return buf[:n], nil
		}
	}
	return nil, errGarbage
}

func exchangeStream(conn net.Conn, query []byte, id uint16, q dnsmessage.Question) ([]byte, error) {
	if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(query))), query...)); err != nil {
		return nil, err
	}
	var size [2]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return nil, err
	}
	msg := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(conn, msg); err != nil {
		return nil, err
	}
	if !answers(msg, id, q) {
		return nil, errGarbage
	}
	return msg, nil
}

// answers reports whether a message is the answer to the question.
func answers(msg []byte, id uint16, q dnsmessage.Question) bool {
	var p dnsmessage.Parser
	h, err := p.Start(msg)
	if err != nil || !h.Response || h.ID != id {
		return false
	}
	got, err := p.Question()
	return err == nil && got.Type == q.Type && got.Class == q.Class && strings.EqualFold(got.Name.String(), q.Name.String())
}

func isTruncated(msg []byte) bool {
	var p dnsmessage.Parser
	h, err := p.Start(msg)
	return err == nil && h.Truncated
}

// readReply reads an answer. It returns errRefusing if the server is not authoritative or
// reports a failure.
func readReply(msg []byte, zone, name string, t Type) (r reply, err error) {
	var p dnsmessage.Parser
	h, err := p.Start(msg)
	if err == nil {
		err = p.SkipAllQuestions()
	}
	if err != nil {
		return r, fmt.Errorf("%w: %w", errGarbage, err)
	}
	if h.RCode != dnsmessage.RCodeSuccess && h.RCode != dnsmessage.RCodeNameError {
		return r, fmt.Errorf("%w: %s", errRefusing, h.RCode)
	}
	if h.Authoritative {
		return readAnswers(&p, name, t)
	}
	return readDelegation(&p, zone, name)
}

func readAnswers(p *dnsmessage.Parser, name string, t Type) (r reply, err error) {
	for len(r.records) < maxRecords {
		rh, err := p.AnswerHeader()
		if errors.Is(err, dnsmessage.ErrSectionDone) {
			break
		}
		if err != nil {
			return reply{}, fmt.Errorf("%w: %w", errGarbage, err)
		}
		if owner := strings.EqualFold(rh.Name.String(), name); !owner || rh.Type != t && rh.Type != CNAME {
			err = p.SkipAnswer()
		} else {
			err = r.add(p, rh.Type, t)
		}
		if err != nil {
			return reply{}, fmt.Errorf("%w: %w", errGarbage, err)
		}
	}
	return r, nil
}

// add adds one record if it is of the wanted type, or an alias.
func (r *reply) add(p *dnsmessage.Parser, typ, want Type) error {
	rec := Record{Type: typ}
	switch typ {
	case TXT:
		v, err := p.TXTResource()
		if err != nil {
			return err
		}
		rec.Text = strings.Join(v.TXT, "")
	case MX:
		v, err := p.MXResource()
		if err != nil {
			return err
		}
		rec.Priority, rec.Host = v.Pref, bareName(v.MX)
	case SRV:
		v, err := p.SRVResource()
		if err != nil {
			return err
		}
		rec.Priority, rec.Weight, rec.Port, rec.Host = v.Priority, v.Weight, v.Port, bareName(v.Target)
	case CNAME:
		v, err := p.CNAMEResource()
		if err != nil {
			return err
		}
		if rec.Host = bareName(v.CNAME); want != CNAME {
			r.alias = rec.Host + "."
			return nil
		}
	default:
		return p.SkipAnswer()
	}
	r.records = append(r.records, rec)
	return nil
}

// readDelegation finds the zone between zone and name that has its own servers. It returns
// errRefusing if there is none.
func readDelegation(p *dnsmessage.Parser, zone, name string) (reply, error) {
	err := p.SkipAllAnswers()
	for err == nil {
		var rh dnsmessage.ResourceHeader
		if rh, err = p.AuthorityHeader(); err != nil {
			break
		}
		below := strings.ToLower(rh.Name.String())
		if rh.Type == dnsmessage.TypeNS && below != zone && isUnder(below, zone) && isUnder(name, below) {
			return reply{zone: below}, nil
		}
		err = p.SkipAuthority()
	}
	return reply{}, fmt.Errorf("%w: it is not authoritative", errRefusing)
}

// isUnder reports whether a name is the zone itself or lies below it.
func isUnder(name, zone string) bool {
	labels, above := strings.Split(name, "."), strings.Split(zone, ".")
	return len(labels) >= len(above) && slices.Equal(labels[len(labels)-len(above):], above)
}

func bareName(n dnsmessage.Name) string {
	return strings.ToLower(strings.TrimSuffix(n.String(), "."))
}
