package email

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2"

	"konak/internal/kit/hostile"
	"konak/internal/kit/mailer"
	"konak/internal/kit/outbound"
)

// outside is an e-mail channel that may connect to peers on this machine and has no
// database.
func outside() *Service {
	return New(Config{Out: outbound.New(outbound.Options{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}), MaxSize: 1 << 20})
}

// againstPeers runs a client against every phase and manner of a protocol. The client must
// end, at the latest with its context if the peer keeps it waiting, and must not let the
// peer send more than fits into the system's buffers.
func againstPeers(t *testing.T, phases []string, start func(testing.TB, string, hostile.Manner) *hostile.Peer,
	client func(t *testing.T, ctx context.Context, to *Server, phase string, manner hostile.Manner),
) {
	for _, phase := range phases {
		for _, manner := range hostile.Manners() {
			t.Run(phase+"/"+string(manner), func(t *testing.T) {
				t.Parallel()
				peer := start(t, phase, manner)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if manner.Waits() {
					go func() { <-peer.Reached(); cancel() }()
				}
				to := &Server{Host: "127.0.0.1", Port: peer.Port, Security: Plain, User: "destek", Folder: "INBOX"}
				client(t, ctx, to, phase, manner)
				<-peer.Ended()
				if peer.Sent() > 16<<20 {
					t.Errorf("the peer could send %d bytes", peer.Sent())
				}
			})
		}
	}
}

func TestHostileTrials(t *testing.T) {
	t.Parallel()
	s := outside()
	judge := func(t *testing.T, got Trial, manner hostile.Manner) {
		t.Helper()
		if got.OK || got.Class == "" || manner == hostile.Endless && (got.Class != "protocol" || got.Message != outbound.ErrTooMuch.Error()) {
			t.Errorf("got %+v", got)
		}
		if strings.Contains(got.Message, "127.0.0.1") || manner == hostile.Garbage && got.Class == "protocol" && got.Message != "the server's answer could not be understood" {
			t.Errorf("it tells of the inside, or repeats what the peer said: %+v", got)
		}
	}
	t.Run("smtp", func(t *testing.T) {
		t.Parallel()
		againstPeers(t, []string{"banner", "ehlo", "auth"}, hostile.SMTP, func(t *testing.T, ctx context.Context, to *Server, _ string, manner hostile.Manner) {
			judge(t, s.testSMTP(ctx, to, "geheim-1"), manner)
		})
	})
	t.Run("imap", func(t *testing.T) {
		t.Parallel()
		againstPeers(t, []string{"greeting", "login", "select"}, hostile.IMAP, func(t *testing.T, ctx context.Context, to *Server, _ string, manner hostile.Manner) {
			judge(t, s.testIMAP(ctx, to, "geheim-1"), manner)
		})
	})
}

// A mail that the server accepted counts as sent, however the connection ends; one that it
// did not accept is tried again, and never dropped because of a bad connection.
func TestHostileSubmission(t *testing.T) {
	t.Parallel()
	s := outside()
	againstPeers(t, hostile.SMTPPhases(), hostile.SMTP, func(t *testing.T, ctx context.Context, to *Server, phase string, manner hostile.Manner) {
		envelope := mailer.Envelope{From: "a@firma.example", To: []string{"b@firma.example"}}
		_, err := s.submit(ctx, to, "geheim-1", envelope, []byte("Subject: x\r\n\r\nx\r\n"))
		if accepted := phase == "quit"; accepted != (err == nil) {
			t.Errorf("got %v", err)
		}
		if manner == hostile.Endless && phase != "quit" && !errors.Is(err, outbound.ErrTooMuch) {
			t.Errorf("got %v", err)
		}
	})
}

func TestHostileMailbox(t *testing.T) {
	t.Parallel()
	s := outside()
	phases := slices.DeleteFunc(hostile.IMAPPhases(), func(p string) bool { return p == "capability" })
	againstPeers(t, phases, hostile.IMAP, func(t *testing.T, ctx context.Context, to *Server, phase string, manner hostile.Manner) {
		err := s.readMailbox(t, ctx, to)
		if err == nil {
			t.Error("nothing was wrong")
		}
		if manner == hostile.Endless && !errors.Is(err, outbound.ErrTooMuch) {
			t.Errorf("got %v", err)
		}
	})
}

// A truncated mail is not taken for a shorter one.
func TestMailIsCutOff(t *testing.T) {
	t.Parallel()
	peer := hostile.IMAP(t, "short", hostile.Cut)
	to := &Server{Host: "127.0.0.1", Port: peer.Port, Security: Plain, User: "destek", Folder: "INBOX"}
	if err := outside().readMailbox(t, t.Context(), to); err == nil {
		t.Error("nothing was wrong")
	}
}

// readMailbox does what a poll does, without the database.
func (s *Service) readMailbox(t *testing.T, ctx context.Context, to *Server) error {
	box, err := s.imap(ctx, to, "geheim-1")
	if err != nil {
		return err
	}
	defer func() { _ = box.Close() }()
	if _, err := box.open(to.Folder); err != nil {
		return err
	}
	uids, err := box.search(&imap.SearchCriteria{}, 4000)
	if err != nil {
		return err
	}
	if len(uids) > pollBatch {
		t.Errorf("%d mails at once", len(uids))
	}
	for _, uid := range uids {
		if _, err := box.size(uid); err != nil {
			return err
		}
		_, err := box.read(uid, s.MaxSize, false, func(raw io.Reader, whole bool) error {
			text, err := io.ReadAll(raw)
			if err == nil && whole && strings.Contains(string(text), "cut off") {
				t.Error("a mail that was cut off was taken")
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
