package graph

import (
	"encoding/json"
	"strings"
)

// Version is the version of the Graph API that is in every path.
const Version = "v23.0"

// Host is the address of the Graph API.
const Host = "https://graph.facebook.com"

// ErrorBody is the answer to a refused call.
type ErrorBody struct {
	Error Error `json:"error"`
}

// Error is the Graph API's error object.
type Error struct {
	Message   string     `json:"message"`
	Type      string     `json:"type,omitempty"`
	Code      int        `json:"code"`
	Subcode   int        `json:"error_subcode,omitempty"`
	Title     string     `json:"title,omitempty"` // of a status
	UserTitle string     `json:"error_user_title,omitempty"`
	UserMsg   string     `json:"error_user_msg,omitempty"`
	Data      *ErrorData `json:"error_data,omitempty"`
	TraceID   string     `json:"fbtrace_id,omitempty"`
}

// ErrorData is what an error contains in addition to its message.
type ErrorData struct {
	MessagingProduct string `json:"messaging_product,omitempty"`
	Details          string `json:"details,omitempty"`
}

// UnmarshalJSON also accepts error_data as text, as some errors have it.
func (d *ErrorData) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &d.Details)
	}
	type plain ErrorData
	return json.Unmarshal(b, (*plain)(d))
}

// Success is the answer to a call that changes something.
type Success struct {
	Success bool `json:"success"`
}

// Page is a page of a list.
type Page[T any] struct {
	Data   []T     `json:"data"`
	Paging *Paging `json:"paging,omitempty"`
}

// Paging holds the link to the next page.
type Paging struct {
	Cursors Cursors `json:"cursors"`
	Next    string  `json:"next,omitempty"`
}

// Cursors are the beginning and end of a page.
type Cursors struct {
	Before string `json:"before"`
	After  string `json:"after"`
}

// Number is an id that Meta writes sometimes as a number and sometimes as text.
type Number string

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(b []byte) error {
	*n = Number(strings.Trim(string(b), `"`))
	return nil
}
