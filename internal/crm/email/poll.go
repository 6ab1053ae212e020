package email

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/google/uuid"

	"konak/internal/crm/channel"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/jobs"
	"konak/internal/kit/outbound"
)

// Pace of polling.
const (
	pollJob    = "email.poll"
	pollEvery  = time.Minute
	pollSlow   = 30 * time.Minute
	pollBatch  = 50
	alarmAfter = 3 // failures in a row before people are told
)

// Why a mailbox elsewhere needs attention.
const (
	ReasonSignIn      = "sign_in_failed"
	ReasonUnreachable = "mailbox_unreachable"
	// ReasonPollsStopped: processes died while they polled it.
	ReasonPollsStopped = "polls_stopped"
)

// errNotOurs says that the poll lost its claim: the settings changed, or
// another node polls.
var errNotOurs = errors.New("email: the mailbox is polled elsewhere")

// runPoll is the handler of pollJob: it fetches what is new in the mailbox of
// the job's account and runs again later. It ends where the mailbox is no
// longer polled.
func (s *Service) runPoll(ctx context.Context, j *jobs.Job) error {
	var st state
	err := s.tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		st, err = mailboxState(r, j.AccountID)
		return err
	})
	if db.IsNoRow(err) || err == nil && !st.polls {
		return nil
	}
	if err != nil {
		return err
	}
	more, trouble := s.fetch(ctx, j, st)
	if errors.Is(trouble, errNotOurs) || trouble != nil && errors.Is(ctx.Err(), context.Canceled) {
		return trouble
	}
	return s.endPoll(ctx, j, more, trouble)
}

// endPoll writes down how a poll went and says when the next one is.
func (s *Service) endPoll(ctx context.Context, j *jobs.Job, more bool, trouble error) error {
	next := s.DB.Clock().Now()
	err := s.tenant(ctx).InTx(context.WithoutCancel(ctx), func(tx *db.Tx) error {
		if err := checkOurs(tx, j); err != nil {
			return err
		}
		failures, err := savePoll(tx, j.AccountID, trouble)
		if err != nil {
			return err
		}
		if !more {
			next = tx.Now().Add(backOff(failures))
		}
		return s.showPoll(tx, j.AccountID, failures, trouble)
	})
	switch {
	case err != nil:
		return err
	case errors.Is(trouble, jobs.ErrHold):
		return trouble
	case trouble != nil:
		return jobs.Snooze(next)
	}
	return jobs.RunAgain(next)
}

func checkOurs(tx *db.Tx, j *jobs.Job) error {
	ours, err := j.StillOurs(tx)
	if err == nil && !ours {
		err = errNotOurs
	}
	return err
}

// backOff is the pause before the next poll: a minute while it works, longer
// and longer while it does not.
func backOff(failures int) time.Duration {
	return min(pollEvery<<min(failures, 6), pollSlow)
}

// showPoll makes the account's status say how its polls go. A server that is
// silent is shown by the hold of its account.
func (s *Service) showPoll(tx *db.Tx, account uuid.UUID, failures int, trouble error) error {
	var err error
	switch {
	case trouble == nil:
		err = s.Channels.ClearAttention(tx, account, ReasonSignIn, ReasonUnreachable, ReasonPollsStopped)
	case errors.Is(trouble, errSignIn):
		err = s.setAttention(tx, account, ReasonSignIn)
	case failures >= alarmAfter:
		err = s.setAttention(tx, account, ReasonUnreachable)
	}
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

func (s *Service) setAttention(tx *db.Tx, account uuid.UUID, reason string) error {
	_, err := s.Channels.Set(tx, account, channel.Attention, &reason)
	return err
}

var errSignIn = errors.New("the server refuses the user name or the password")

// imap connects to a mailbox and signs in.
func (s *Service) imap(ctx context.Context, to *Server, password string) (*imapclient.Client, error) {
	conn, err := s.dial(ctx, to)
	if err != nil {
		return nil, err
	}
	c, err := openIMAP(conn, to)
	if err != nil {
		return nil, err
	}
	if err := c.Login(to.User, password).Wait(); err != nil {
		_ = c.Close()
		if refusal, ok := errors.AsType[*imap.Error](err); ok && refusal.Type == imap.StatusResponseTypeNo {
			return nil, fmt.Errorf("%w: %s", errSignIn, refusal.Text)
		}
		return nil, err
	}
	return c, nil
}

func openIMAP(conn net.Conn, to *Server) (*imapclient.Client, error) {
	options := &imapclient.Options{TLSConfig: &tls.Config{ServerName: to.Host, MinVersion: tls.VersionTLS12}}
	if to.Security == StartTLS {
		c, err := imapclient.NewStartTLS(conn, options)
		if err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return c, nil
	}
	c := imapclient.New(conn, options)
	if err := c.WaitGreeting(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// fetch accepts what came since the last time, each mail durable before the
// next, and says whether there is more. It changes nothing in the mailbox.
func (s *Service) fetch(ctx context.Context, j *jobs.Job, st state) (more bool, err error) {
	var set Settings
	var creds credentials
	err = s.tenant(ctx).Read(ctx, func(r *db.Reader) (err error) {
		if _, set, err = s.account(r, j.AccountID); err != nil {
			return err
		}
		creds, err = s.credentials(r, j.AccountID)
		return err
	})
	if err != nil || set.IMAP == nil {
		return false, err
	}
	box, err := s.imap(ctx, set.IMAP, creds.IMAP)
	if err != nil {
		return false, jobs.HoldOnTimeout(err)
	}
	defer func() { _ = box.Close() }()
	data, err := box.Select(set.IMAP.Folder, &imap.SelectOptions{ReadOnly: true}).Wait()
	if err != nil {
		return false, jobs.HoldOnTimeout(fmt.Errorf("the folder %s: %w", set.IMAP.Folder, err))
	}
	uids, err := s.fresh(box, data, st)
	if err != nil {
		return false, jobs.HoldOnTimeout(err)
	}
	if uids == nil {
		return false, s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
			return s.moveTo(tx, j, data.UIDValidity, data.UIDNext-1)
		})
	}
	for _, uid := range uids {
		if err := s.fetchOne(ctx, box, j, data.UIDValidity, uid); err != nil {
			return false, err
		}
	}
	_ = box.Logout().Wait()
	return len(uids) == pollBatch, nil
}

// fresh lists the mails to fetch, the oldest first; nil means that the mailbox
// is looked at for the first time, and what lies in it is history. Where the
// server numbered its mails anew, those of the last days are fetched again:
// what came before is recognised.
func (s *Service) fresh(box *imapclient.Client, data *imap.SelectData, st state) ([]imap.UID, error) {
	if st.uidValidity == nil || st.lastUID == nil {
		return nil, nil
	}
	criteria := &imap.SearchCriteria{}
	if *st.uidValidity == int64(data.UIDValidity) {
		if int64(data.UIDNext) <= *st.lastUID+1 && data.UIDNext > 0 {
			return []imap.UID{}, nil
		}
		var set imap.UIDSet
		set.AddRange(imap.UID(*st.lastUID+1), 0)
		criteria.UID = []imap.UIDSet{set}
	} else {
		since := s.DB.Clock().Now().AddDate(0, 0, -7)
		if st.lastPollAt != nil {
			since = st.lastPollAt.AddDate(0, 0, -2)
		}
		criteria.Since = since
	}
	found, err := box.UIDSearch(criteria, nil).Wait()
	if err != nil {
		return nil, err
	}
	out := []imap.UID{}
	for _, uid := range found.AllUIDs() {
		// "n:*" names the last mail even where its number is smaller.
		if *st.uidValidity != int64(data.UIDValidity) || int64(uid) > *st.lastUID {
			out = append(out, uid)
		}
	}
	return out[:min(len(out), pollBatch)], nil
}

// moveTo sets how far the mailbox was read, where the poll is still ours.
func (s *Service) moveTo(tx *db.Tx, j *jobs.Job, validity uint32, uid imap.UID) error {
	ours, err := j.Progress(tx)
	if err != nil {
		return err
	}
	if !ours {
		return errNotOurs
	}
	return setPosition(tx, j.AccountID, int64(validity), int64(uid))
}

// fetchOne accepts one mail and moves the position in the same transaction.
func (s *Service) fetchOne(ctx context.Context, box *imapclient.Client, j *jobs.Job, validity uint32, uid imap.UID) error {
	size, err := box.Fetch(imap.UIDSetNum(uid), &imap.FetchOptions{UID: true, RFC822Size: true}).Collect()
	if err != nil {
		return jobs.HoldOnTimeout(err)
	}
	refused := ""
	section := &imap.FetchItemBodySection{Peek: true}
	if len(size) > 0 && size[0].RFC822Size > s.MaxSize {
		refused, section.Specifier = ReasonTooLarge, imap.PartSpecifierHeader
	}
	list, err := box.Fetch(imap.UIDSetNum(uid), &imap.FetchOptions{UID: true, BodySection: []*imap.FetchItemBodySection{section}}).Collect()
	if err != nil {
		return jobs.HoldOnTimeout(err)
	}
	position := func(tx *db.Tx) error { return s.moveTo(tx, j, validity, uid) }
	if len(list) == 0 {
		// Deleted meanwhile.
		return s.tenant(ctx).InTx(ctx, position)
	}
	_, err = s.Accept(ctx, Arrival{
		AccountID: j.AccountID, Route: "imap", Key: fmt.Sprintf("imap:%d:%d", validity, uid),
		Raw: bytes.NewReader(list[0].FindBodySection(section)), Refused: refused, Also: position,
	})
	return err
}

// Trial is how an attempt to sign in went.
type Trial struct {
	OK      bool   `json:"ok"`
	Class   string `json:"class" enum:",dns,connect,tls,timeout,refused_address,sign_in,folder,protocol" example:"sign_in" doc:"What kind of failure; empty when it worked"`
	Message string `json:"message" example:"535 5.7.8 Authentication failed" doc:"In the server's own words where it spoke"`
}

// TestIMAP signs in to a mailbox and opens its folder.
func (s *Service) testIMAP(ctx context.Context, to *Server, password string) Trial {
	c, err := s.imap(ctx, to, password)
	if err != nil {
		return failedTrial(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := c.Select(to.Folder, &imap.SelectOptions{ReadOnly: true}).Wait(); err != nil {
		return Trial{Class: "folder", Message: err.Error()}
	}
	return Trial{OK: true}
}

// TestSMTP signs in to a mail server.
func (s *Service) testSMTP(ctx context.Context, to *Server, password string) Trial {
	c, err := s.smtp(ctx, to, password)
	if err != nil {
		return failedTrial(err)
	}
	_ = c.Quit()
	return Trial{OK: true}
}

func failedTrial(err error) Trial {
	if errors.Is(err, errSignIn) || isSMTP(err) {
		return Trial{Class: "sign_in", Message: printable(plainReason(err))}
	}
	if _, ok := errors.AsType[*imap.Error](err); ok {
		return Trial{Class: "protocol", Message: printable(err.Error())}
	}
	class, text := outbound.Class(err)
	if strings.Contains(text, "imap") || strings.Contains(text, "smtp") {
		class = "protocol"
	}
	return Trial{Class: class, Message: printable(text)}
}
