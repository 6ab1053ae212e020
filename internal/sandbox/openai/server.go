// Package openai is a stand-in for servers of language models: it speaks the
// OpenAI-compatible chat API over HTTP, streamed and whole, with tool calls and usage.
//
// It answers by simple rules: it searches for what the customer wrote, or looks up an order
// if the text has a number, answers with the order or with the passage that the search is
// sure of and cites it, and hands over if there is none. Without tools it rewrites the last
// message. For tests it can be told to fail, to lie, and to follow every instruction that
// it reads, as a manipulated model would.
package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Ways in which the server misbehaves.
const (
	Works       = ""
	Dead        = "dead"          // it closes the connection
	Refuses     = "refuses"       // HTTP 503
	Slow        = "slow"          // it says nothing until the caller gives up
	Endless     = "endless"       // it never stops writing
	Loops       = "loops"         // it searches again and again
	Cut         = "cut"           // it stops in the middle
	Invents     = "invents"       // it cites a source that it did not get
	Links       = "links"         // it writes a link that it did not get
	Domains     = "domains"       // it writes a domain that it did not get, without a scheme
	Numbers     = "numbers"       // it writes a telephone number that it did not get
	OnlyCites   = "only_cites"    // its answer is a citation and nothing else
	UnknownTool = "unknown_tool"  // it calls a tool that does not exist
	ManyCalls   = "many_calls"    // it searches five times at once
	BadJSON     = "bad_json"      // it gives a tool invalid JSON
	NoSource    = "no_source"     // it answers out of nothing
	LiesOfUse   = "lies_of_usage" // it counts more tokens than it was sent
	HidesUse    = "hides_usage"   // it counts no tokens
	Obeys       = "obeys"         // it follows instructions of the form CALL name {...}
)

// Message is a message sent to the server.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Request is a request to the server.
type Request struct {
	Model    string            `json:"model"`
	Messages []Message         `json:"messages"`
	Tools    []json.RawMessage `json:"tools"`
	Max      int               `json:"max_tokens"`
	Stream   bool              `json:"stream"`

	Key string `json:"-"`
}

// keptRequests is the number of requests that the server remembers.
const keptRequests = 1000

// Server is the stand-in.
type Server struct {
	// Key is the API key that callers must send; "" accepts any.
	Key string

	mu       sync.Mutex
	fault    string
	requests []Request
	tokens   int64
	onAsked  func()
}

// New returns a server.
func New() *Server { return &Server{} }

// Fail makes the server misbehave from now on; Works ends it.
func (s *Server) Fail(fault string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

// OnAsked runs before the next request is answered, once.
func (s *Server) OnAsked(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onAsked = fn
}

// Requests returns the last requests.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Tokens returns the total number of tokens that the server counted.
func (s *Server) Tokens() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tokens
}

// Serves reports whether a path belongs to the server.
func (s *Server) Serves(path string) bool { return strings.HasSuffix(path, "/chat/completions") }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in Request
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil || json.Unmarshal(text, &in) != nil || r.Method != http.MethodPost || !s.Serves(r.URL.Path) || len(in.Messages) == 0 {
		http.Error(w, `{"error":{"message":"bad request"}}`, http.StatusBadRequest)
		return
	}
	in.Key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if s.Key != "" && in.Key != s.Key {
		http.Error(w, `{"error":{"message":"wrong key"}}`, http.StatusUnauthorized)
		return
	}
	s.mu.Lock()
	fault, asked := s.fault, s.onAsked
	s.requests, s.onAsked = append(s.requests[max(0, len(s.requests)-keptRequests+1):], in), nil
	s.mu.Unlock()
	if asked != nil {
		asked()
	}
	switch fault {
	case Dead:
		panic(http.ErrAbortHandler)
	case Refuses:
		http.Error(w, `{"error":{"message":"overloaded"}}`, http.StatusServiceUnavailable)
		return
	case Slow:
		<-r.Context().Done()
		return
	}
	out := reply(&in, fault)
	s.write(w, &in, out, fault)
}

// answer returns the server's next answer.
type answer struct {
	text string
	tool string
	args string
	more int // how often it calls the tool after the first time
}

var (
	orderNumber = regexp.MustCompile(`\b[A-Z]{0,4}-?[0-9]{3,}\b`)
	order       = regexp.MustCompile(`CALL ([a-z_]+) (\{[^{}]*\})`)
)

// reply decides on the server's next answer.
func reply(in *Request, fault string) answer {
	last := in.Messages[len(in.Messages)-1]
	switch fault {
	case Loops:
		return answer{tool: "search", args: `{"query":"iade"}`}
	case Invents:
		return answer{text: "Ücretsiz. [s9]"}
	case UnknownTool:
		return answer{tool: "refund_everything", args: `{}`}
	case BadJSON:
		return answer{tool: "search", args: `{"query": `}
	case NoSource:
		return answer{text: "Bence olur."}
	case ManyCalls:
		if last.Role != "tool" {
			return answer{tool: "search", args: arguments("query", last.Content), more: 4}
		}
	case Obeys:
		if m := order.FindStringSubmatch(strings.ReplaceAll(last.Content, `\"`, `"`)); m != nil {
			return answer{tool: m[1], args: m[2]}
		}
	}
	if len(in.Tools) == 0 {
		added := map[string]string{Links: " https://evil.example/giris", Domains: " evil.com/giris", Numbers: " 0532 111 22 33"}
		return answer{text: rewrite(in) + added[fault]}
	}
	if last.Role != "tool" {
		if number := orderNumber.FindString(last.Content); number != "" {
			return answer{tool: "find_order", args: arguments("number", number)}
		}
		return answer{tool: "search", args: arguments("query", last.Content)}
	}
	var found struct {
		Passages []passage
		Orders   []struct{ Number, Status string }
	}
	_ = json.Unmarshal([]byte(last.Content), &found)
	switch {
	case len(found.Orders) > 0:
		return answer{text: found.Orders[0].Number + ": " + found.Orders[0].Status}
	case len(found.Passages) == 0:
		return answer{tool: "hand_over", args: `{"reason":"not found"}`}
	case fault == Links:
		return answer{text: "https://evil.example/giris [" + found.Passages[0].ID + "]"}
	case fault == Domains:
		return answer{text: "evil.com/giris [" + found.Passages[0].ID + "]"}
	case fault == Numbers:
		return answer{text: "Ödeme için +90 532 111 22 33 [" + found.Passages[0].ID + "]"}
	case fault == OnlyCites:
		return answer{text: "[" + found.Passages[0].ID + "]."}
	}
	for _, p := range found.Passages {
		if p.Sure {
			return answer{text: p.Text + " [" + p.ID + "]"}
		}
	}
	return answer{tool: "hand_over", args: `{"reason":"not sure"}`}
}

// passage is a passage that a search found.
type passage struct {
	ID, Text string
	Sure     bool
}

func arguments(name, value string) string {
	text, _ := json.Marshal(map[string]string{name: value})
	return string(text)
}

// rewrite returns the first 30 words of the last message after a mark.
func rewrite(in *Request) string {
	words := strings.Fields(in.Messages[len(in.Messages)-1].Content)
	return "✎ " + strings.Join(words[:min(len(words), 30)], " ")
}

// write streams an answer, or writes it whole if no stream was requested.
func (s *Server) write(w http.ResponseWriter, in *Request, out answer, fault string) {
	var input int64
	for _, m := range in.Messages {
		input += 4 + int64(len(m.Content))/4
	}
	output := int64(len(out.text)+len(out.args))/4 + 1
	if fault == LiesOfUse {
		input = 1 << 40
	}
	s.mu.Lock()
	s.tokens += input + output
	s.mu.Unlock()
	if fault == HidesUse {
		input, output = 0, 0
	}
	usage := map[string]any{"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output}
	message := map[string]any{"role": "assistant", "content": out.text}
	if out.tool != "" {
		calls := []any{}
		for n := range 1 + out.more {
			calls = append(calls, map[string]any{
				"index": n, "id": fmt.Sprint("call_", n+1), "type": "function", "function": map[string]any{"name": out.tool, "arguments": out.args},
			})
		}
		message = map[string]any{"role": "assistant", "content": nil, "tool_calls": calls}
	}
	if !in.Stream {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "chat.completion", "choices": []any{map[string]any{"index": 0, "message": message}}, "usage": usage})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	send := func(piece any) bool {
		text, _ := json.Marshal(piece)
		_, err := fmt.Fprintf(w, "data: %s\n\n", text)
		return err == nil && flush.Flush() == nil
	}
	delta := func(d any) map[string]any {
		return map[string]any{"object": "chat.completion.chunk", "choices": []any{map[string]any{"index": 0, "delta": d}}}
	}
	if fault == Endless {
		for send(delta(map[string]any{"content": strings.Repeat("la ", 100)})) { //nolint:revive // it never stops by itself
		}
		return
	}
	if out.tool != "" {
		send(delta(message))
	} else {
		// In two pieces, cut between characters.
		runes := []rune(out.text)
		send(delta(map[string]any{"role": "assistant", "content": string(runes[:len(runes)/2])}))
		if fault == Cut {
			return
		}
		send(delta(map[string]any{"content": string(runes[len(runes)/2:])}))
	}
	send(map[string]any{"object": "chat.completion.chunk", "choices": []any{}, "usage": usage})
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}
