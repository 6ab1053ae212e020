// Package meta is what the stand-ins of Meta's Graph API share: tokens, bodies, refusals and
// answers.
package meta

import (
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"

	"konak/internal/provider/graph"
)

// MaxBody is the number of bytes of a body, or of a part of one, that are read.
const MaxBody = 64 << 20

// Refusal is an error of the Graph API.
type Refusal struct {
	Status, RetryAfter int
	Err                graph.Error
}

// Refuse returns a refusal.
func Refuse(status, code, subcode int, kind, message string) *Refusal {
	return &Refusal{Status: status, Err: graph.Error{Message: message, Type: kind, Code: code, Subcode: subcode, TraceID: "SANDBOXtrace"}}
}

// Missing is the refusal of a call for an object that does not exist.
func Missing(kind, id string) *Refusal {
	return Refuse(400, 100, 33, kind, "Unsupported request. Object with ID '"+id+"' does not exist, cannot be loaded due to missing permissions, or does not support this operation.")
}

// Answer writes the answer to a call, or its refusal. It writes nothing if both are nil: the
// call was answered already.
func Answer(w http.ResponseWriter, out any, err *Refusal) {
	status := http.StatusOK
	if err != nil {
		status, out = err.Status, graph.ErrorBody{Error: err.Err}
		if err.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(err.RetryAfter))
		}
	}
	if out == nil {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(out)
}

// Bearer returns the token in the header of a call.
func Bearer(r *http.Request) string {
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return token
}

// ReadJSON reads the body of a call.
func ReadJSON(r *http.Request, into any) error {
	text, err := io.ReadAll(io.LimitReader(r.Body, MaxBody))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// ReadForm passes each part of a form to take. The error is what the caller did wrong.
func ReadForm(r *http.Request, take func(part *multipart.Part, content []byte) error) error {
	form, err := r.MultipartReader()
	if err != nil {
		return errors.New("the body must be multipart/form-data")
	}
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		content, err := io.ReadAll(io.LimitReader(part, MaxBody))
		if err == nil {
			err = take(part, content)
		}
		if err != nil {
			return err
		}
	}
}
