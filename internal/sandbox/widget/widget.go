// Package widget is what the stand-ins of the captcha services show in a browser: a script
// with their interface, which puts a frame of the service into the page, with a box to
// tick. Ticking it creates a token.
package widget

import (
	"crypto/rand"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
)

// Widget serves the script and the frame.
type Widget struct {
	// Global is the name of the script's global variable in the page.
	Global string
	// Script is the path of the script.
	Script string
}

const framePath = "/frame"

// script answers render(element, options) as the services do: the token goes to
// options.callback, a failure to options["error-callback"].
const script = `(function () {
  const home = new URL(document.currentScript.src).origin;
  let count = 0;
  const shown = new Map();
  window[%s] = {
    render(element, options) {
      const id = %[1]s + "-" + ++count;
      const frame = document.createElement("iframe");
      frame.title = "Widget containing a security challenge";
      frame.width = "300";
      frame.height = "65";
      const hear = (event) => {
        if (event.source === frame.contentWindow && event.origin === home) options.callback(event.data);
      };
      window.addEventListener("message", hear);
      frame.addEventListener("error", () => options["error-callback"] && options["error-callback"]());
      frame.src = home + "` + framePath + `?sitekey=" + encodeURIComponent(options.sitekey);
      element.appendChild(frame);
      shown.set(id, () => { window.removeEventListener("message", hear); frame.remove(); });
      return id;
    },
    remove(id) { (shown.get(id) || (() => {}))(); shown.delete(id); },
    reset() {},
  };
})();
`

var frame = template.Must(template.New("frame").Parse(`<!doctype html>
<meta charset="utf-8">
<title>Challenge</title>
<label><input type="checkbox" id="box"> I am human</label>
<script>
  document.getElementById("box").addEventListener("change", () => parent.postMessage({{.}}, "*"));
</script>
`))

// serveWidget answers a browser's request, and calls solved with each token that it issues.
// It returns false if the request is not for the widget.
func (g *Widget) serveWidget(w http.ResponseWriter, r *http.Request, solved func(token string)) bool {
	if r.Method != http.MethodGet {
		return false
	}
	switch r.URL.Path {
	case g.Script:
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = fmt.Fprintf(w, script, strconv.Quote(g.Global))
	case framePath:
		token := rand.Text()
		solved(token)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = frame.Execute(w, token)
	default:
		return false
	}
	return true
}
