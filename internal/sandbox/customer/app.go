package customer

import (
	"encoding/json"
	"net/http"
	"strings"
)

// AppPath is the path on which the company's own software receives answers; the id of the
// channel follows.
const AppPath = "/demo-app/"

// maxDelivery is the number of bytes of a delivery that are read.
const maxDelivery = 1 << 20

// ReceiveAnswer receives a delivery of a custom channel and shows the customer what the
// agent answered. A repeated delivery is shown once.
func (p *Page) ReceiveAnswer(w http.ResponseWriter, r *http.Request) {
	var delivery struct {
		Type string `json:"type"`
		Data struct {
			Object struct {
				ID         string            `json:"id"`
				ExternalID string            `json:"external_id"`
				Body       string            `json:"body"`
				Files      []json.RawMessage `json:"files"`
			} `json:"object"`
		} `json:"data"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxDelivery)).Decode(&delivery); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer, account := delivery.Data.Object, strings.TrimPrefix(r.URL.Path, AppPath)
	if delivery.Type == "channel.message" && !p.knows(account, answer.ExternalID, answer.ID) {
		text := answer.Body
		if len(answer.Files) > 0 {
			text += " 📎"
		}
		p.Told(account, answer.ExternalID, Message{ID: answer.ID, Text: text})
	}
	w.WriteHeader(http.StatusNoContent)
}

// knows reports whether a message was kept.
func (p *Page) knows(account, person, id string) bool {
	found := false
	p.change(account, person, id, func(*Message) { found = true })
	return found
}
