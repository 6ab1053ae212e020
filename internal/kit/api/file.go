package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"konak/internal/kit/clock"
	"konak/internal/kit/fault"
	"konak/internal/kit/filetype"
	"konak/internal/kit/obs"
)

// longestUpload is how long a body may take altogether, however steadily it
// comes.
const longestUpload = 10 * time.Minute

// Upload is a body that is read as it comes, of at most MaxBody bytes.
type Upload struct {
	io.Reader
	// Type is the declared one, "" where none was sent.
	Type string
}

// HandleUpload registers a route whose body is a file, streamed to the
// handler. A body over MaxBody is a 413, however the handler takes the error.
// There is no Idempotency-Key: the body would have to be kept to know whether a
// repeat is one.
func HandleUpload[In, Out any](a *API, rt Route, h func(context.Context, *In, *Upload) (Out, error)) {
	rt = rt.withDefaults()
	register(a, rt, func(ctx context.Context, in *In) (*output[Envelope[Out]], error) {
		req := requestOf(ctx)
		if req.r.ContentLength > rt.MaxBody {
			return nil, fault.New(fault.BodyTooLarge, rt.MaxBody)
		}
		// A file may take longer than any other request; it hangs on the
		// connection, and on its bytes coming in.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longestUpload)
		defer cancel()
		defer context.AfterFunc(req.r.Context(), cancel)()
		limited, rc := http.MaxBytesReader(req.w, req.r.Body, rt.MaxBody), http.NewResponseController(req.w)
		if err := rc.SetWriteDeadline(clock.Deadline(longestUpload + a.cfg.RequestTimeout)); err != nil {
			return nil, err
		}
		body := &Upload{Reader: &steadyReader{limited, rc}, Type: req.r.Header.Get("Content-Type")}
		out, err := h(ctx, in, body)
		if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
			err = fault.New(fault.BodyTooLarge, rt.MaxBody)
		}
		if err != nil {
			return nil, err
		}
		return &output[Envelope[Out]]{Status: rt.Status, Body: Envelope[Out]{out, obs.TraceID(ctx)}}, nil
	})
	op := operationOf(a.huma.OpenAPI().Paths[rt.Path], rt.Method)
	op.RequestBody = &huma.RequestBody{
		Required: true, Description: "The file content, at most " + strconv.FormatInt(rt.MaxBody, 10) + " bytes",
		Content: map[string]*huma.MediaType{filetype.Unknown: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}},
	}
}

// steadyReader gives up on a sender that stays silent, and on no other.
type steadyReader struct {
	r  io.Reader
	rc *http.ResponseController
}

func (s *steadyReader) Read(p []byte) (int, error) {
	if err := s.rc.SetReadDeadline(clock.Deadline(patience)); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

// File is an answer that came from outside and is given back.
type File struct {
	Name string
	// Type is what the content was found to be.
	Type string
	// Inline asks to show the file in place, which only harmless types are.
	Inline bool
	// Tag changes with the content.
	Tag      string
	Modified time.Time
	// NoStore forbids every cache to keep it.
	NoStore bool
	// Content is closed when it was sent.
	Content io.ReadSeekCloser
	// Opened is told before the first byte, and not where a part is asked for that
	// is not there. Its error is the answer. It may be nil.
	Opened func(context.Context) error
}

// HandleFile registers a route that serves a file, also in parts. Whatever is in
// it, it cannot act on our origin: no type is guessed, what could run is saved
// and never shown, and what is shown stands in a sandbox. Caches shared between
// people do not keep it, a browser asks again before it shows it again.
func HandleFile[In any](a *API, rt Route, h func(context.Context, *In) (*File, error)) {
	rt = rt.withDefaults()
	rt.streams = true
	rt.Refusals = append(slices.Clone(rt.Refusals), http.StatusRequestedRangeNotSatisfiable)
	register(a, rt, func(ctx context.Context, in *In) (*streamOutput, error) {
		ctx, preparing := a.prepare(ctx)
		f, err := h(ctx, in)
		if err != nil {
			preparing.cancel()
			return nil, err
		}
		preparing.done()
		return &streamOutput{func(hc huma.Context) {
			defer preparing.cancel()
			defer func() { _ = f.Content.Close() }()
			r, w := humachi.Unwrap(hc)
			head := w.Header()
			kind, disposition := f.Type, "attachment"
			switch {
			case f.Inline && filetype.Shown(kind):
				disposition = "inline"
			case runs(kind):
				kind = filetype.Unknown
			}
			if kind == "text/plain" {
				kind += "; charset=utf-8"
			}
			head.Set("Content-Type", kind)
			head.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": f.Name}))
			head.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
			head.Set("Cross-Origin-Resource-Policy", "same-origin")
			head.Set("Cache-Control", "private, no-cache")
			if f.NoStore {
				head.Set("Cache-Control", "no-store")
			}
			head.Set("Vary", "Authorization, Cookie")
			head.Set("ETag", strconv.Quote(f.Tag))
			content := &watchedContent{ReadSeeker: f.Content}
			out := &fileWriter{statusWriter: statusWriter{newSteadyWriter(w), hc}, opened: func() error {
				if f.Opened == nil {
					return nil
				}
				return f.Opened(ctx)
			}}
			http.ServeContent(out, r, "", f.Modified, content)
			if out.refused != nil {
				for _, name := range []string{"Content-Disposition", "ETag", "Last-Modified", "Content-Length", "Accept-Ranges"} {
					head.Del(name)
				}
				a.writeError(out.statusWriter, r, &rt, out.refused)
				return
			}
			if content.err != nil {
				// The answer has begun: only a cut connection says that it is not whole.
				a.cfg.Log.WarnContext(ctx, "stream was cut", "route", rt.ID, "error", content.err)
				panic(http.ErrAbortHandler)
			}
		}}, nil
	})
	a.describeContent(&rt, filetype.Unknown)
	op := operationOf(a.huma.OpenAPI().Paths[rt.Path], rt.Method)
	for status, text := range map[int]string{
		http.StatusPartialContent: "Part of the file, for a Range request", http.StatusNotModified: "The file matches If-None-Match",
	} {
		op.Responses[fmt.Sprint(status)] = &huma.Response{
			Description: text, Content: map[string]*huma.MediaType{filetype.Unknown: {Schema: &huma.Schema{Type: huma.TypeString}}},
		}
	}
}

// fileWriter holds an answer of http.ServeContent back that is an error, so that it
// gets the one shape of errors.
type fileWriter struct {
	statusWriter
	opened  func() error
	refused error
}

// WriteHeader implements http.ResponseWriter.
func (w *fileWriter) WriteHeader(status int) {
	switch {
	case status == http.StatusRequestedRangeNotSatisfiable:
		w.refused = fault.New(fault.RangeNotSatisfiable)
	case status >= http.StatusInternalServerError:
		w.refused = fault.New(fault.Internal).Wrap(errSeek)
	case status < http.StatusBadRequest:
		w.refused = w.opened()
	}
	if w.refused == nil {
		w.statusWriter.WriteHeader(status)
	}
}

// errSeek is why http.ServeContent fails before the first byte.
var errSeek = errors.New("the length of a file could not be found")

// Write implements io.Writer.
func (w *fileWriter) Write(b []byte) (int, error) {
	if w.refused != nil {
		return len(b), nil
	}
	return w.statusWriter.Write(b)
}

// watchedContent remembers why a file could not be read to its end, which
// http.ServeContent does not tell.
type watchedContent struct {
	io.ReadSeeker
	err error
}

// Read implements io.Reader.
func (c *watchedContent) Read(p []byte) (int, error) {
	n, err := c.ReadSeeker.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// runs says that a browser would run what is in a file of this type.
func runs(kind string) bool {
	switch kind {
	case "text/html", "image/svg+xml", "application/xhtml+xml", "text/xml", "application/xml", "text/javascript", "application/javascript":
		return true
	}
	return false
}
