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
	// Filename makes the browser save the answer under this name.
	Filename string
	// Write sends the bytes. Once it has begun, an error can only cut the connection, which
	// shows the receiver that the file is incomplete.
	Write func(w io.Writer) error
}

type streamOutput struct {
	Body func(huma.Context)
}

// preparation is the time before the first byte of an answer that may take long to send.
type preparation struct {
	cancel context.CancelFunc
	timer  *time.Timer
}

// prepare returns the context in which an answer is prepared and then sent. It ends when
// the receiver leaves, and after the time-out of a request unless the preparation is done
// by then. The caller must call cancel after sending the answer or if there is none.
func (a *API) prepare(ctx context.Context) (context.Context, *preparation) {
	ctx, cancel := context.WithCancel(ctx)
	return ctx, &preparation{cancel, time.AfterFunc(a.cfg.RequestTimeout, cancel)}
}

// done ends the time limit.
func (p *preparation) done() { p.timer.Stop() }

// steadyWriter gives up only on a receiver that accepts nothing for a while: a large file
// over a slow connection may take its time.
type steadyWriter struct {
	http.ResponseWriter
	rc *http.ResponseController
}

func newSteadyWriter(w http.ResponseWriter) steadyWriter {
	return steadyWriter{w, http.NewResponseController(w)}
}

// Write implements io.Writer.
func (w steadyWriter) Write(b []byte) (int, error) {
	if err := w.rc.SetWriteDeadline(clock.Deadline(patience)); err != nil {
		return 0, err
	}
	return w.ResponseWriter.Write(b)
}

// HandleBytes registers a route that streams bytes.
func HandleBytes[In any](a *API, rt Route, contentType string, h func(context.Context, *In) (*Bytes, error)) {
	rt = rt.withDefaults()
	rt.streams = true
	register(a, rt, func(ctx context.Context, in *In) (*streamOutput, error) {
		ctx, preparing := a.prepare(ctx)
		b, err := h(ctx, in)
		if err != nil {
			preparing.cancel()
			return nil, err
		}
		preparing.done()
		return &streamOutput{func(hc huma.Context) {
			defer preparing.cancel()
			_, w := humachi.Unwrap(hc)
			hc.SetHeader("Content-Type", b.ContentType)
			if b.Filename != "" {
				hc.SetHeader("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": b.Filename}))
			}
			hc.SetStatus(rt.Status)
			if hc.Method() == http.MethodHead {
				return
			}
			if err := b.Write(newSteadyWriter(w)); err != nil {
				a.cfg.Log.WarnContext(ctx, "the stream was interrupted", "route", rt.ID, "error", err)
				panic(http.ErrAbortHandler)
			}
		}}, nil
	}, describeContent(&rt, contentType))
}

// Sender writes server-sent events.
type Sender struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

// patience is how long the other side may stall before we give up on it.
const patience = 20 * time.Second

// Event sends one event and flushes it.
func (s *Sender) Event(id int64, event string, data []byte) error {
	return errors.Join(s.Put(id, event, data), s.Flush())
}

// Put writes one event, which is sent by the next Flush at the latest. An event without an
// id does not change the position from which a receiver resumes.
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

// Flush sends the events written by Put.
func (s *Sender) Flush() error { return s.rc.Flush() }

// Comment sends a comment, which keeps the connection alive.
func (s *Sender) Comment(text string) error {
	if err := s.rc.SetWriteDeadline(clock.Deadline(patience)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.w, ": %s\n\n", text); err != nil {
		return err
	}
	return s.rc.Flush()
}

// HandleEvents registers a stream of server-sent events. The handler checks first and
// returns the function that sends; its context ends when the receiver leaves or the server
// drains.
func HandleEvents[In any](a *API, rt Route, h func(context.Context, *In) (func(context.Context, *Sender) error, error)) {
	rt = rt.withDefaults()
	rt.streams, rt.lasts = true, true
	register(a, rt, func(ctx context.Context, in *In) (*streamOutput, error) {
		ctx, preparing := a.prepare(ctx)
		// The handler comes last, because only the function it returns releases what it
		// holds.
		stream, closeStream, err := a.openStream(ctx)
		if err != nil {
			preparing.cancel()
			return nil, err
		}
		send, err := h(ctx, in)
		if err != nil {
			closeStream()
			preparing.cancel()
			return nil, err
		}
		ctx = stream
		preparing.done()
		return &streamOutput{func(hc huma.Context) {
			defer preparing.cancel()
			defer closeStream()
			defer context.AfterFunc(a.draining, preparing.cancel)()
			_, w := humachi.Unwrap(hc)
			// Nothing more is read, so the server's read deadline must not end it.
			_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
			hc.SetHeader("Content-Type", "text/event-stream")
			hc.SetHeader("X-Accel-Buffering", "no")
			hc.SetStatus(http.StatusOK)
			if hc.Method() == http.MethodHead {
				preparing.cancel() // the sender only releases what it holds
			}
			if err := send(ctx, &Sender{w: w, rc: http.NewResponseController(w)}); err != nil && ctx.Err() == nil {
				a.cfg.Log.DebugContext(ctx, "stream ended", "route", rt.ID, "error", err)
			}
		}}, nil
	}, describeContent(&rt, "text/event-stream"))
}

// describeContent describes an answer that is not JSON.
func describeContent(rt *Route, contentType string) func(*huma.Operation) {
	return func(op *huma.Operation) {
		op.Responses[fmt.Sprint(rt.Status)] = &huma.Response{
			Description: "OK",
			Content:     map[string]*huma.MediaType{contentType: {Schema: &huma.Schema{Type: huma.TypeString}}},
		}
	}
}

func operationOf(item *huma.PathItem, method string) *huma.Operation {
	return map[string]*huma.Operation{
		"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete,
	}[method]
}
