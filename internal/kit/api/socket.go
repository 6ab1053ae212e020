package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"konak/internal/kit/fault"
)

// Socket sends messages over a WebSocket. Only one goroutine may use it.
type Socket struct {
	ctx  context.Context
	conn *websocket.Conn
}

// Send sends one text message. It fails if the receiver does not accept it in time.
func (s *Socket) Send(text []byte) error {
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	return s.conn.Write(ctx, websocket.MessageText, text)
}

const (
	// pingEvery is the interval of pings, which detect that the other side is gone and keep
	// proxies from closing an idle connection.
	pingEvery = 30 * time.Second
	// largestFrame is the maximum size of an incoming frame: only pings, pongs and a close
	// frame are expected, none of which exceeds 125 bytes.
	largestFrame = 512
	// statusUnauthorized is the close code of IANA's registry for a watcher who has lost
	// access.
	statusUnauthorized = websocket.StatusCode(3000)
)

// HandleSocket registers a WebSocket on which only the server sends. Who may open it is
// declared, checked and refused as for any other route, before the connection is upgraded;
// pages of other sites are refused although the request is a GET. The handler checks first
// and returns the function that sends; its context ends when the receiver leaves or the
// server drains. A message from the receiver ends the connection: requests go over HTTP.
func HandleSocket[In any](a *API, rt Route, h func(context.Context, *In) (func(context.Context, *Socket) error, error)) {
	rt = rt.withDefaults()
	rt.socket, rt.streams, rt.lasts, rt.Status = true, true, true, http.StatusSwitchingProtocols
	rt.Refusals = append(rt.Refusals, http.StatusUpgradeRequired)
	register(a, rt, func(ctx context.Context, in *In) (*streamOutput, error) {
		req := requestOf(ctx)
		if !wantsSocket(req.r) {
			req.w.Header().Set("Connection", "Upgrade")
			req.w.Header().Set("Upgrade", "websocket")
			return nil, fault.New(fault.UpgradeRequired)
		}
		ctx, preparing := a.prepare(ctx)
		// The handler comes last, because only the function it returns releases what it
		// holds.
		stream, closeStream, err := a.openStream(context.WithoutCancel(ctx)) // the connection is upgraded
		if err == nil && !a.enter() {
			closeStream()
			err = fault.New(fault.Unavailable)
		}
		if err != nil {
			preparing.cancel()
			return nil, err
		}
		send, err := h(ctx, in)
		preparing.cancel()
		if err != nil {
			closeStream()
			a.open.Done()
			return nil, err
		}
		ctx = stream
		return &streamOutput{func(hc huma.Context) {
			defer a.open.Done()
			defer closeStream()
			r, w := humachi.Unwrap(hc)
			conn, err := websocket.Accept(statusWriter{w, hc}, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // the guard has checked the origin
			if err != nil {
				a.cfg.Log.DebugContext(ctx, "socket was not opened", "route", rt.ID, "error", err)
				return
			}
			conn.SetReadLimit(largestFrame)
			a.converse(ctx, &rt, conn,
				func(_, reading context.Context) error { return refuseMessages(reading, conn) },
				func(ctx context.Context, _ context.CancelCauseFunc) error {
					return send(ctx, &Socket{context.WithoutCancel(ctx), conn})
				})
		}}, nil
	}, describeSocket)
}

// converse runs an open socket to its end: read receives what the other side sends and
// returns why that ended, run is the conversation. The library closes a connection without
// a close frame if its context ends during a read or write, so reading has its own context,
// which ends last.
func (a *API) converse(ctx context.Context, rt *Route, conn *websocket.Conn, read func(ctx, reading context.Context) error, run func(context.Context, context.CancelCauseFunc) error) {
	reading, stopReading := context.WithCancel(context.WithoutCancel(ctx))
	defer stopReading()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var both sync.WaitGroup
	both.Go(func() { cancel(read(ctx, reading)) })
	both.Go(func() { a.watchSocket(ctx, cancel, conn) })
	err := run(ctx, cancel)
	if err != nil && ctx.Err() == nil {
		a.cfg.Log.DebugContext(ctx, "socket ended", "route", rt.ID, "error", err)
	}
	code, reason := a.farewell(context.Cause(ctx), err)
	cancel(nil)
	_ = conn.Close(code, reason) // fails if the other side is gone, which is fine
	stopReading()
	both.Wait()
}

// farewell returns why a socket is closed: cause is why its context ended, err is the
// result of the conversation.
func (a *API) farewell(cause, err error) (code websocket.StatusCode, reason string) {
	switch {
	case a.draining.Err() != nil:
		return websocket.StatusGoingAway, "the server restarts"
	case errors.Is(cause, errAccessEnded):
		return statusUnauthorized, "the session has ended"
	case errors.Is(cause, errTalks):
		return websocket.StatusPolicyViolation, "this socket takes no messages"
	case errors.Is(cause, errNoText):
		return websocket.StatusUnsupportedData, "messages are JSON texts"
	case err == nil:
		return websocket.StatusNormalClosure, ""
	}
	return websocket.StatusInternalError, "try again"
}

// refuseMessages waits for a message, which is not allowed, and returns errTalks if one
// arrives. Pings, pongs and the close frame are handled meanwhile.
func refuseMessages(reading context.Context, conn *websocket.Conn) error {
	if _, _, err := conn.Reader(reading); err != nil {
		return err
	}
	return errTalks
}

var errTalks = errors.New("api: a message on a socket that does not accept any")

// watchSocket ends a socket whose other side does not answer pings, and every socket when the
// server drains.
func (a *API) watchSocket(ctx context.Context, cancel context.CancelCauseFunc, conn *websocket.Conn) {
	defer cancel(nil)
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.draining.Done():
			return
		case <-tick.C:
			ping, done := context.WithTimeout(context.WithoutCancel(ctx), patience)
			err := conn.Ping(ping)
			done()
			if err != nil {
				return
			}
		}
	}
}

// enter counts a connection that Drain has to wait for, since the HTTP server no longer
// tracks an upgraded connection. It returns false if Drain has begun.
func (a *API) enter() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.draining.Err() != nil {
		return false
	}
	a.open.Add(1)
	return true
}

// statusWriter lets the core see the status that the library writes.
type statusWriter struct {
	http.ResponseWriter
	hc huma.Context
}

// WriteHeader implements http.ResponseWriter.
func (w statusWriter) WriteHeader(status int) { w.hc.SetStatus(status) }

// Unwrap gives the library access to the connection.
func (w statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// wantsSocket reports whether a request is an opening handshake as in RFC 6455 §4.1.
func wantsSocket(r *http.Request) bool {
	return r.Method == http.MethodGet && r.ProtoMajor == 1 && hasToken(r.Header, "Connection", "upgrade") && hasToken(r.Header, "Upgrade", "websocket") &&
		r.Header.Get("Sec-Websocket-Version") == "13" && r.Header.Get("Sec-Websocket-Key") != ""
}

func hasToken(h http.Header, name, token string) bool {
	for _, line := range h.Values(name) {
		for part := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(part), token) {
				return true
			}
		}
	}
	return false
}

// otherSite reports whether a page of another site asks for a socket. Browsers send a GET
// and do not restrict it to the page's own site, so the rule for changing requests is
// applied.
func (a *API) otherSite(r *http.Request) bool {
	asked := *r
	asked.Method = http.MethodPost
	return a.origin.Check(&asked) != nil
}

func describeSocket(op *huma.Operation) {
	op.Extensions["x-websocket"] = true
	op.Responses["101"] = &huma.Response{Description: "Switching to a WebSocket (RFC 6455); messages are JSON text"}
}
