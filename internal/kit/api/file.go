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

// longestUpload is the maximum total time for a body, however steadily it arrives.
const longestUpload = 10 * time.Minute

// Upload is a body of at most MaxBody bytes that is read as it arrives.
type Upload struct {
	io.Reader
	// Type is the declared type, "" if none was sent.
	Type string
}

// HandleUpload registers a route whose body is a file, streamed to the handler. A body over
// MaxBody is a 413, whatever the handler returns for the read error. There is no
// Idempotency-Key: recognising a repeat would mean keeping the body.
func HandleUpload[In, Out any](a *API, rt Route, h func(context.Context, *In, *Upload) (Out, error)) {
	rt = rt.withDefaults()
	register(a, rt, func(ctx context.Context, in *In) (*output[Envelope[Out]], error) {
		req := requestOf(ctx)
		if req.r.ContentLength > rt.MaxBody {
			return nil, fault.New(fault.BodyTooLarge, rt.MaxBody)
		}
		// A file may take longer than any other request, as long as the connection lives
		// and bytes keep arriving.
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
	}, func(op *huma.Operation) {
		op.RequestBody = &huma.RequestBody{
			Required: true, Description: "The file content, at most " + strconv.FormatInt(rt.MaxBody, 10) + " bytes",
			Content: map[string]*huma.MediaType{filetype.Unknown: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}},
		}
	})
}

// steadyReader gives up only on a sender that stays silent.
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

// File is a stored file from outside, served back as an answer.
type File struct {
	Name string
	// Type is the detected type of the content.
	Type string
	// Inline asks to show the file in place, which is done only for harmless types.
	Inline bool
	// Tag changes with the content.
	Tag      string
	Modified time.Time
	// NoStore forbids all caches to keep the file.
	NoStore bool
	// Content is closed after it is sent.
	Content io.ReadSeekCloser
	// Opened is called before the first byte, but not if the requested range does not
	// exist. Its error is the answer. It may be nil.
	Opened func(context.Context) error
}

// HandleFile registers a route that serves a file, also in ranges. Whatever the file
// contains, it cannot act on our origin: browsers may not guess its type, executable types
// are only downloaded, and shown files are sandboxed. Shared caches do not keep it; a
// browser revalidates before it shows it again.
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
				// The answer has begun: only cutting the connection can show that it is
				// incomplete.
				a.cfg.Log.WarnContext(ctx, "the stream was interrupted", "route", rt.ID, "error", content.err)
				panic(http.ErrAbortHandler)
			}
		}}, nil
	}, describeContent(&rt, filetype.Unknown), describeParts)
}

// describeParts describes the answers to conditional requests and to those for a range.
func describeParts(op *huma.Operation) {
	for status, text := range map[int]string{
		http.StatusPartialContent: "Part of the file, for a Range request", http.StatusNotModified: "The file matches If-None-Match",
	} {
		op.Responses[fmt.Sprint(status)] = &huma.Response{
			Description: text, Content: map[string]*huma.MediaType{filetype.Unknown: {Schema: &huma.Schema{Type: huma.TypeString}}},
		}
	}
}

// fileWriter holds back an error answer of http.ServeContent, so that it gets our error
// shape.
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

// errSeek is the reason if http.ServeContent fails before the first byte.
var errSeek = errors.New("the length of a file could not be determined")

// Write implements io.Writer.
func (w *fileWriter) Write(b []byte) (int, error) {
	if w.refused != nil {
		return len(b), nil
	}
	return w.statusWriter.Write(b)
}

// watchedContent remembers why a file could not be read to its end, which http.ServeContent
// does not report.
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

// runs reports whether a browser would execute the content of a file of this type.
func runs(kind string) bool {
	switch kind {
	case "text/html", "image/svg+xml", "application/xhtml+xml", "text/xml", "application/xml", "text/javascript", "application/javascript":
		return true
	}
	return false
}
