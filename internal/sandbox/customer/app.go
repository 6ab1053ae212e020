package customer

import (
	"encoding/json"
	"net/http"
	"strings"
)

// AppPath is where the company's own software takes in answers; the id of the channel
// follows.
const AppPath = "/demo-app/"

// maxDelivery is how many bytes of a delivery are read.
const maxDelivery = 1 << 20

// ReceiveAnswer takes in a delivery of a custom channel and shows the customer what the
// agent answered. A delivery that is repeated is shown once.
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

// knows says whether a message was kept.
func (p *Page) knows(account, person, id string) bool {
	found := false
	p.change(account, person, id, func(*Message) { found = true })
	return found
}
