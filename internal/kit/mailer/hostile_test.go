package mailer

import (
	"context"
	"testing"

	"konak/internal/kit/hostile"
)

// Whatever the mail server does in whatever phase: sending ends, with the worker's context
// if the server keeps it waiting, and an accepted mail counts as sent, however the
// conversation ends.
func TestHostileServer(t *testing.T) {
	t.Parallel()
	for _, phase := range hostile.SMTPPhases() {
		for _, manner := range hostile.Manners() {
			t.Run(phase+"/"+string(manner), func(t *testing.T) {
				t.Parallel()
				peer := hostile.SMTP(t, phase, manner)
				s, err := parseServer("smtp://user:password@"+peer.Address(), "")
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if manner.Waits() {
					go func() { <-peer.Reached(); cancel() }()
				}
				envelope := Envelope{From: "a@firma.example", To: []string{"b@firma.example"}}
				_, err = s.send(ctx, envelope, []byte("Subject: x\r\n\r\nx\r\n"))
				<-peer.Ended()
				if accepted := phase == "quit"; accepted != (err == nil) {
					t.Errorf("got %v", err)
				}
				if peer.Sent() > 16<<20 {
					t.Errorf("the server could send %d bytes", peer.Sent())
				}
			})
		}
	}
}
