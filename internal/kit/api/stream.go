package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"konak/internal/kit/clock"
)

// Bytes is an answer that is not JSON: an export, a recording, a file.
type Bytes struct {
	ContentType string
	// Filename makes the browser save the answer.
	Filename string
	// Write sends the bytes. Once it has begun, an error can only cut the
	// connection, which tells the receiver that the file is not whole.
	Write func(w io.Writer) error
}

type streamOutput struct {
	Body func(huma.Context)
}

// HandleBytes registers a route that streams bytes.
func HandleBytes[In any](a *API, rt Route, contentType string, h func(context.Context, *In) (*Bytes, error)) {
	rt = rt.withDefaults()
	register(a, rt, func(ctx context.Context, in *In) (*streamOutput, error) {
		b, err := h(ctx, in)
		if err != nil {
			return nil, err
		}
		return &streamOutput{func(hc huma.Context) {
			hc.SetHeader("Content-Type", b.ContentType)
			if b.Filename != "" {
				hc.SetHeader("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": b.Filename}))
			}
			hc.SetStatus(rt.Status)
			if err := b.Write(hc.BodyWriter()); err != nil {
				a.cfg.Log.WarnContext(ctx, "stream was cut", "route", rt.ID, "error", err)
				panic(http.ErrAbortHandler)
			}
		}}, nil
	})
	a.describeContent(&rt, contentType)
}

// Sender writes server-sent events.
type Sender struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

// patience is how long a receiver may not take what is sent to it.
const patience = 20 * time.Second

// Event sends one event and flushes it.
func (s *Sender) Event(id int64, event string, data []byte) error {
	return errors.Join(s.Put(id, event, data), s.Flush())
}

// Put writes one event, which leaves with the next Flush at the latest. One
// without an id does not move the place from which a receiver resumes.
func (s *Sender) Put(id int64, event string, data []byte) error {
	if err := s.rc.SetWriteDeadline(clock.Deadline(patience)); err != nil {
		return err
	}
	head := make([]byte, 0, 96)
	if id != 0 {
		head = append(strconv.AppendInt(append(head, "id: "...), id, 10), '\n')
	}
	head = append(append(append(head, "event: "...), event...), "\ndata: "...)
	for _, part := range [][]byte{head, data, eventEnd} {
		if _, err := s.w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

var eventEnd = []byte("\n\n")

// Flush sends what was put.
func (s *Sender) Flush() error { return s.rc.Flush() }

// Comment keeps the connection alive.
func (s *Sender) Comment(text string) error {
	if err := s.rc.SetWriteDeadline(clock.Deadline(patience)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.w, ": %s\n\n", text); err != nil {
		return err
	}
	return s.rc.Flush()
}

// HandleEvents registers a stream of server-sent events. The handler checks
// first and returns what will send; its context ends when the receiver leaves
// or the server drains.
func HandleEvents[In any](a *API, rt Route, h func(context.Context, *In) (func(context.Context, *Sender) error, error)) {
	rt = rt.withDefaults()
	register(a, rt, func(ctx context.Context, in *In) (*streamOutput, error) {
		send, err := h(ctx, in)
		if err != nil {
			return nil, err
		}
		return &streamOutput{func(hc huma.Context) {
			r, w := humachi.Unwrap(hc)
			// The stream outlives the time-out of ordinary requests, so it
			// hangs on the connection's context with the request's values.
			ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
			defer cancel()
			defer context.AfterFunc(r.Context(), cancel)()
			defer context.AfterFunc(a.draining, cancel)()
			// Nothing more is read, so the server's read deadline must not end it.
			_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
			hc.SetHeader("Content-Type", "text/event-stream")
			hc.SetHeader("X-Accel-Buffering", "no")
			hc.SetStatus(http.StatusOK)
			if err := send(ctx, &Sender{w: w, rc: http.NewResponseController(w)}); err != nil && ctx.Err() == nil {
				a.cfg.Log.DebugContext(ctx, "stream ended", "route", rt.ID, "error", err)
			}
		}}, nil
	})
	a.describeContent(&rt, "text/event-stream")
}

func (a *API) describeContent(rt *Route, contentType string) {
	op := operationOf(a.huma.OpenAPI().Paths[rt.Path], rt.Method)
	op.Responses[fmt.Sprint(rt.Status)] = &huma.Response{
		Description: "OK",
		Content:     map[string]*huma.MediaType{contentType: {Schema: &huma.Schema{Type: huma.TypeString}}},
	}
}

func operationOf(item *huma.PathItem, method string) *huma.Operation {
	return map[string]*huma.Operation{
		"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete,
	}[method]
}
