package api

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"

	"github.com/coder/websocket"
	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"konak/internal/kit/caller"
	"konak/internal/kit/fault"
	"konak/internal/kit/limit"
)

// Admission is who opens a dialogue with a ticket.
type Admission struct {
	Caller *caller.Caller
	// Session is the SHA-256 of the token of the session that issued the ticket.
	Session [sha256.Size]byte
	// Look returns the caller's current identity and permissions; unauthenticated if their
	// session has ended.
	Look func(context.Context) (*caller.Caller, error)
}

// Dialogue is a socket on which both sides send. It is opened with a ticket, because a page
// cannot send a header with it.
type Dialogue[In any] struct {
	// Protocol is the subprotocol. The ticket is offered next to it, as ticket.<x>.
	Protocol string
	// MaxMessage is the maximum size of an incoming message in bytes.
	MaxMessage int64
	// PerMember is the number of sockets a member may hold on a node.
	PerMember int
	// Admit checks a ticket and uses it up; unauthenticated if it is not valid.
	Admit func(ctx context.Context, in *In, ticket string) (Admission, error)
	// Run runs the socket. Its context ends when the other side leaves, when the caller
	// loses access, and when the server drains.
	Run func(ctx context.Context, in *In, socket *DialogueSocket) error
}

// DialogueSocket sends and receives messages. Send may be called by many goroutines.
type DialogueSocket struct {
	Socket
	// Incoming receives the messages from the other side. While it is full, nothing more is
	// read from the connection.
	Incoming <-chan []byte
	allow    func(context.Context) error
	look     func(context.Context) error
}

// Allow counts an incoming message among the requests of the caller's account and checks
// their access again. It returns rate_limited, or why the caller lost access.
func (s *DialogueSocket) Allow(ctx context.Context) error {
	if err := s.allow(ctx); err != nil {
		return err
	}
	return s.look(ctx)
}

// incomingQueue is the number of messages that may wait to be handled.
const incomingQueue = 16

var errNoText = errors.New("api: a binary message on a text socket")

// HandleDialogue registers a dialogue. The route is public, since it reads no credential;
// its permission and licences are checked for the ticket's caller. Without a valid ticket
// it answers 401 before the connection is upgraded.
func HandleDialogue[In any](a *API, rt Route, d Dialogue[In]) {
	rt = rt.withDefaults()
	rt.Access, rt.socket, rt.streams, rt.lasts, rt.NoStore, rt.Status = Public, true, true, true, true, http.StatusSwitchingProtocols
	rt.Refusals = append(rt.Refusals, http.StatusUnauthorized, http.StatusUpgradeRequired)
	register(a, rt, func(ctx context.Context, in *In) (*streamOutput, error) {
		req := requestOf(ctx)
		ticket, speaks := offered(req.r.Header, d.Protocol)
		if ticket == "" {
			return nil, a.refuseTicket(ctx, &rt)
		}
		if !wantsSocket(req.r) || !speaks {
			req.w.Header().Set("Connection", "Upgrade")
			req.w.Header().Set("Upgrade", "websocket")
			return nil, fault.New(fault.UpgradeRequired)
		}
		ctx, preparing := a.prepare(ctx)
		defer preparing.cancel()
		by, err := d.admit(ctx, a, &rt, in, ticket)
		if err != nil {
			return nil, err
		}
		stream, closeStream, err := a.watch(caller.With(context.WithoutCancel(ctx), by.who), by)
		if err == nil && !a.enter() {
			closeStream()
			err = fault.New(fault.Unavailable)
		}
		if err != nil {
			return nil, err
		}
		return &streamOutput{func(hc huma.Context) {
			defer a.open.Done()
			defer closeStream()
			r, w := humachi.Unwrap(hc)
			conn, err := websocket.Accept(statusWriter{w, hc}, r, &websocket.AcceptOptions{
				InsecureSkipVerify: true, Subprotocols: []string{d.Protocol}, // the guard has checked the origin
			})
			if err != nil {
				a.cfg.Log.DebugContext(stream, "socket was not opened", "route", rt.ID, "error", err)
				return
			}
			conn.SetReadLimit(d.MaxMessage)
			incoming := make(chan []byte, incomingQueue)
			a.converse(stream, &rt, conn,
				func(ctx, reading context.Context) error { return receive(ctx, reading, conn, incoming) },
				func(ctx context.Context, cancel context.CancelCauseFunc) error {
					return d.Run(ctx, in, a.dialogueSocket(ctx, cancel, conn, incoming))
				})
		}}, nil
	}, describeSocket)
}

// offered returns the ticket among the subprotocols, and whether ours is offered too.
func offered(h http.Header, protocol string) (ticket string, speaks bool) {
	for _, line := range h.Values("Sec-Websocket-Protocol") {
		for part := range strings.SplitSeq(line, ",") {
			part = strings.TrimSpace(part)
			if t, is := strings.CutPrefix(part, "ticket."); is {
				ticket = t
			}
			speaks = speaks || part == protocol
		}
	}
	return ticket, speaks
}

// refuseTicket counts an invalid ticket and returns the refusal.
func (a *API) refuseTicket(ctx context.Context, rt *Route) error {
	return a.refusal(ctx, requestOf(ctx).w, rt, ClientIP(ctx), fault.New(fault.Unauthenticated).Because("no_ticket"))
}

// admit checks a ticket and then does what the guard does for a credential.
func (d *Dialogue[In]) admit(ctx context.Context, a *API, rt *Route, in *In, ticket string) (access, error) {
	found, err := d.Admit(ctx, in, ticket)
	if fault.Is(err, fault.Unauthenticated) {
		return access{}, a.refuseTicket(ctx, rt)
	}
	if err != nil {
		return access{}, err
	}
	who := *found.Caller
	who.IP = ClientIP(ctx)
	if slug := HostSlug(ctx); slug != "" && slug != who.Slug {
		return access{}, a.refuseTicket(ctx, rt)
	}
	if err := a.permit(ctx, rt, &who); err != nil {
		return access{}, err
	}
	if a.cfg.SessionGuard != nil {
		if err := a.cfg.SessionGuard(ctx, rt.Path, &who); err != nil {
			return access{}, err
		}
	}
	return access{who: &who, holder: who.ID, limit: d.PerMember, credential: found.Session, look: found.Look}, nil
}

// receive reads messages until the connection ends, and returns the reason.
func receive(ctx, reading context.Context, conn *websocket.Conn, to chan<- []byte) error {
	for {
		kind, text, err := conn.Read(reading)
		if err != nil {
			return err
		}
		if kind != websocket.MessageText {
			return errNoText
		}
		select {
		case to <- text:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (a *API) dialogueSocket(ctx context.Context, cancel context.CancelCauseFunc, conn *websocket.Conn, incoming <-chan []byte) *DialogueSocket {
	return &DialogueSocket{
		Socket: Socket{context.WithoutCancel(ctx), conn}, Incoming: incoming,
		allow: func(ctx context.Context) error {
			if a.cfg.Limits == nil {
				return nil
			}
			r := a.cfg.Limits.Take(ctx, perMinute("account", cmp.Or(a.cfg.Rates.Account, accountRate)), limit.Key(Watcher(ctx).UserID))
			if r.Allowed {
				return nil
			}
			return RateLimited(r)
		},
		look: func(ctx context.Context) error {
			s, ok := ctx.Value(openStreamKey{}).(*openStream)
			if !ok {
				return nil
			}
			err := a.recheck(ctx, s)
			if err != nil {
				cancel(err)
			}
			return err
		},
	}
}

// OwnHost returns the workspace's host that the request came to; "" for the bare one.
func OwnHost(ctx context.Context) string {
	if HostSlug(ctx) == "" {
		return ""
	}
	return requestOf(ctx).r.Host
}
