// Package web holds the panel: the build of this folder, embedded, and the handler that
// serves it. The panel is one page; its router owns every path that is neither a file of
// the build nor the API's.
//
// The build is not committed. Without it everything compiles and the handler answers 503
// with the command that creates it.
package web

import (
	"embed"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

//go:embed all:dist
var dist embed.FS

// contentPolicy lets the page load what this origin serves and nothing else: no inline
// script, no inline style element, no frame around it. Styles that script sets on an
// element are not inline styles to the browser. If a captcha service is configured, its
// widget may load its script and its frame. Forms may be sent to this origin, and to those
// of the bank if there is one.
func contentPolicy(forms string, outside []string) string {
	also, frames := "", ""
	if len(outside) > 0 {
		also = " " + strings.Join(outside, " ")
		frames = "frame-src" + also + "; "
	}
	return "default-src 'none'; " +
		"script-src 'self'" + also + "; style-src 'self'" + also + "; font-src 'self'; " +
		"img-src 'self' data: blob:; media-src 'self' blob:; " +
		"connect-src 'self'" + also + "; " + frames + "worker-src 'self'; manifest-src 'self'; " +
		"base-uri 'none'; form-action " + strings.TrimSpace("'self' "+forms) + "; frame-ancestors 'none'"
}

// widgetScript is the live-chat widget, the only file that is meant for pages of other
// sites.
const widgetScript = "/widget.js"

const notBuilt = "panel not built: run make build"

// Handler serves the embedded panel. Forms is the policy source to which a card payment may
// lead: "https:", an origin, or nothing. Outside are the origins of a captcha service, if
// there is one.
func Handler(forms string, outside ...string) http.Handler {
	return newHandler(embeddedFiles(), forms, outside...)
}

// embeddedFiles are the files of the embedded build, read once for all servers of a process.
var embeddedFiles = sync.OnceValue(func() map[string]file {
	build, err := fs.Sub(dist, "dist")
	if err != nil {
		panic("web: the embedded folder has no dist: " + err.Error())
	}
	return readFiles(build)
})

// Built reports whether the binary carries a panel.
func Built() bool {
	_, err := fs.Stat(dist, "dist/index.html")
	return err == nil
}

// file is one file of the build, ready to be sent in either encoding.
type file struct {
	contentType string
	plain       []byte
	gzipped     []byte // nil when packing saved nothing
}

type handler struct {
	files  map[string]file
	policy string
}

func newHandler(files map[string]file, forms string, outside ...string) http.Handler {
	return &handler{files: files, policy: contentPolicy(forms, outside)}
}

func readFiles(build fs.FS) map[string]file {
	files := make(map[string]file)
	err := fs.WalkDir(build, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name != "." && strings.HasPrefix(path.Base(name), ".") {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entry.IsDir() || strings.HasSuffix(name, ".gz") {
			return nil
		}
		plain, err := fs.ReadFile(build, name)
		if err != nil {
			return err
		}
		gzipped, err := fs.ReadFile(build, name+".gz")
		if err != nil {
			gzipped = nil
		}
		files["/"+name] = file{contentType: typeOf(name), plain: plain, gzipped: gzipped}
		return nil
	})
	if err != nil {
		panic("web: reading the embedded build: " + err.Error())
	}
	return files
}

// typeOf does not use the machine's own table, which differs between machines.
func typeOf(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".html":
		return "text/html; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".woff2":
		return "font/woff2"
	case ".json":
		return "application/json"
	}
	if byName := mime.TypeByExtension(path.Ext(name)); byName != "" {
		return byName
	}
	return "application/octet-stream"
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	index, built := h.files["/index.html"]
	if !built {
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, notBuilt, http.StatusServiceUnavailable)
		return
	}

	name := path.Clean("/" + r.URL.Path)
	found, isFile := h.files[name]
	switch {
	case isFile && strings.HasPrefix(name, "/assets/"):
		// The name carries the content's hash: its content can never change.
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	case name == widgetScript && isFile:
		// Other people's pages include it and load it on every view.
		w.Header().Set("Cache-Control", "public, max-age=600, stale-while-revalidate=86400")
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	case isFile && name != "/index.html":
		w.Header().Set("Cache-Control", "no-cache")
	case name == "/api" || strings.HasPrefix(name, "/api/") || strings.HasPrefix(name, "/assets/"):
		// An old page asking for a file of its release must not get a page as a script.
		w.Header().Set("Cache-Control", "no-store")
		http.NotFound(w, r)
		return
	default:
		found = index
		w.Header().Set("Cache-Control", "no-cache")
		h.setPageHeaders(w.Header())
	}
	send(w, r, found)
}

func (h *handler) setPageHeaders(header http.Header) {
	header.Set("Content-Security-Policy", h.policy)
	header.Set("Referrer-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Permissions-Policy", "camera=(), geolocation=(), payment=(), usb=(), microphone=(self)")
}

func send(w http.ResponseWriter, r *http.Request, f file) {
	header := w.Header()
	header.Set("Content-Type", f.contentType)
	header.Set("X-Content-Type-Options", "nosniff")
	body := f.plain
	if f.gzipped != nil {
		header.Add("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header.Get("Accept-Encoding")) {
			header.Set("Content-Encoding", "gzip")
			body = f.gzipped
		}
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	// A client that disconnected midway is not our error.
	_, _ = w.Write(body)
}

// acceptsGzip reads the header far enough to respect a refusal (q=0).
func acceptsGzip(accept string) bool {
	for _, part := range strings.Split(accept, ",") {
		coding, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if coding = strings.ToLower(strings.TrimSpace(coding)); coding != "gzip" && coding != "*" {
			continue
		}
		q, isQ := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
		if !isQ {
			return true
		}
		weight, err := strconv.ParseFloat(q, 64)
		return err == nil && weight > 0
	}
	return false
}
