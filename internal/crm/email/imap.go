package email

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"konak/internal/kit/db"
	"konak/internal/kit/jobs"
	"konak/internal/kit/outbound"
)

// Limits: the time of a poll and of reading one mail, the size of a search and of a kept
// header.
const (
	pollTime = 4 * time.Minute
	// searchWindow is the number of UIDs that one search covers, so that the result fits
	// into the budget of one answer.
	searchWindow = 5000
	// maxHead is the number of bytes kept of a mail that is too large.
	maxHead = 256 << 10
)

// imapClient is a connection to an external mailbox.
type imapClient struct {
	*imapclient.Client
	conn *outbound.Conn
}

// imap connects to a mailbox and signs in. The connection ends with ctx.
func (s *Service) imap(ctx context.Context, to *Server, password string) (*imapClient, error) {
	conn, secure, err := s.dial(ctx, to)
	if err != nil {
		return nil, err
	}
	c, err := openIMAP(secure, to)
	if err != nil {
		return nil, errors.Join(conn.Explain(err), conn.Close())
	}
	if err := c.Login(to.User, password).Wait(); err != nil {
		_ = c.Close()
		if refusal, ok := errors.AsType[*imap.Error](err); ok && refusal.Type == imap.StatusResponseTypeNo {
			return nil, fmt.Errorf("%w: %s", errSignIn, refusal.Text)
		}
		return nil, conn.Explain(err)
	}
	return &imapClient{c, conn}, nil
}

func openIMAP(conn net.Conn, to *Server) (*imapclient.Client, error) {
	options := &imapclient.Options{TLSConfig: tlsConfig(to)}
	if to.Security == StartTLS {
		return imapclient.NewStartTLS(conn, options)
	}
	c := imapclient.New(conn, options)
	return c, c.WaitGreeting()
}

// open selects a folder read-only.
func (b *imapClient) open(folder string) (*imap.SelectData, error) {
	b.conn.Renew(outbound.MaxAnswer, outbound.AnswerTime)
	data, err := b.Select(folder, &imap.SelectOptions{ReadOnly: true}).Wait()
	if err != nil {
		return nil, fmt.Errorf("the folder %s: %w", folder, b.conn.Explain(err))
	}
	return data, nil
}

// search returns the first UIDs of a search result that are greater than after.
func (b *imapClient) search(criteria *imap.SearchCriteria, after int64) ([]imap.UID, error) {
	b.conn.Renew(outbound.MaxAnswer, outbound.AnswerTime)
	found, err := b.UIDSearch(criteria, nil).Wait()
	if err != nil {
		return nil, b.conn.Explain(err)
	}
	out := []imap.UID{}
	set, _ := found.All.(imap.UIDSet)
	for _, r := range set {
		// A range of a few bytes can cover every possible UID.
		for uid := max(int64(r.Start), after+1); uid <= int64(r.Stop) && len(out) < pollBatch; uid++ {
			out = append(out, imap.UID(uid))
		}
	}
	return out, nil
}

// size returns the size of a mail as the server reports it; 0 if it does not.
func (b *imapClient) size(uid imap.UID) (int64, error) {
	b.conn.Renew(outbound.MaxAnswer, outbound.AnswerTime)
	list, err := b.Fetch(imap.UIDSetNum(uid), &imap.FetchOptions{UID: true, RFC822Size: true}).Collect()
	if err != nil || len(list) == 0 {
		return 0, b.conn.Explain(err)
	}
	return list[0].RFC822Size, nil
}

// read streams a mail of at most limit bytes to take, or only its header if it is longer,
// and reports whether the mail exists.
func (b *imapClient) read(uid imap.UID, limit int64, headOnly bool, take func(raw io.Reader, whole bool) error) (found bool, err error) {
	section := &imap.FetchItemBodySection{Peek: true, Partial: &imap.SectionPartial{Size: limit + 1}}
	if headOnly {
		section.Specifier, section.Partial.Size = imap.PartSpecifierHeader, maxHead
	}
	b.conn.Renew(section.Partial.Size+outbound.MaxAnswer, pollTime)
	cmd := b.Fetch(imap.UIDSetNum(uid), &imap.FetchOptions{UID: true, BodySection: []*imap.FetchItemBodySection{section}})
	var taken error
	for msg := cmd.Next(); msg != nil && !found; msg = cmd.Next() {
		for item := msg.Next(); item != nil && !found; item = msg.Next() {
			body, ok := item.(imapclient.FetchItemDataBodySection)
			if !ok {
				continue
			}
			found = true
			switch {
			case body.Literal == nil:
				taken = take(bytes.NewReader(nil), !headOnly)
			case headOnly || body.Literal.Size() > limit:
				taken = take(bytes.NewReader(head(body.Literal)), false)
			default:
				taken = take(&exactly{r: body.Literal, left: body.Literal.Size()}, true)
			}
		}
	}
	// The rest must be read in any case: the client waits for its reader.
	if err := errors.Join(taken, cmd.Close()); err != nil {
		return found, b.conn.Explain(err)
	}
	return found, nil
}

// head returns the header of a mail, up to maxHead bytes.
func head(raw io.Reader) []byte {
	var out bytes.Buffer
	lines := bufio.NewReader(io.LimitReader(raw, maxHead))
	for {
		line, err := lines.ReadBytes('\n')
		out.Write(line)
		if err != nil || len(bytes.TrimRight(line, "\r\n")) == 0 {
			return out.Bytes()
		}
	}
}

// exactly reads the announced number of bytes: a truncated mail is an error, not a shorter
// mail.
type exactly struct {
	r    io.Reader
	left int64
}

// Read implements io.Reader.
func (e *exactly) Read(b []byte) (int, error) {
	n, err := e.r.Read(b)
	if e.left -= int64(n); errors.Is(err, io.EOF) && e.left > 0 {
		return n, io.ErrUnexpectedEOF
	}
	return n, err
}

// fetch accepts the mails that arrived since the last poll, storing each durably before the
// next, and reports whether there are more. It changes nothing in the mailbox.
func (s *Service) fetch(ctx context.Context, j *jobs.Job, st state) (more bool, err error) {
	var set Settings
	var creds credentials
	err = s.DB.TenantOf(ctx).Read(ctx, func(r *db.Reader) (err error) {
		if _, set, err = s.account(r, j.AccountID); err != nil {
			return err
		}
		creds, err = s.credentials(r, j.AccountID)
		return err
	})
	if err != nil || set.IMAP == nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, pollTime)
	defer cancel()
	box, err := s.imap(ctx, set.IMAP, creds.IMAP)
	if err != nil {
		return false, jobs.HoldOnTimeout(err)
	}
	defer func() { _ = box.Close() }()
	data, err := box.open(set.IMAP.Folder)
	if err != nil {
		return false, jobs.HoldOnTimeout(err)
	}
	uids, through, err := s.newMails(box, data, st)
	if err != nil {
		return false, jobs.HoldOnTimeout(err)
	}
	for _, uid := range uids {
		if err := s.fetchOne(ctx, box, j, data.UIDValidity, uid); err != nil {
			return false, jobs.HoldOnTimeout(err)
		}
	}
	if len(uids) == pollBatch {
		return true, nil
	}
	if through >= 0 {
		err := s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
			return s.moveTo(tx, j, data.UIDValidity, through)
		})
		return through < int64(data.UIDNext)-1, err
	}
	return false, nil
}

// newMails lists the UIDs to fetch, oldest first, and the UID up to which the folder has then
// been read; -1 if the list itself shows that. When a mailbox is polled for the first time,
// its existing mails are history and are not fetched. If the server renumbered its mails,
// those of the last days are fetched again; mails that were already accepted are
// recognised.
func (s *Service) newMails(box *imapClient, data *imap.SelectData, st state) (uids []imap.UID, through int64, err error) {
	last := int64(data.UIDNext) - 1
	if st.uidValidity == nil || st.lastUID == nil {
		return nil, max(last, 0), nil
	}
	if *st.uidValidity != int64(data.UIDValidity) {
		since := s.DB.Clock().Now().AddDate(0, 0, -7)
		if st.lastPollAt != nil {
			since = st.lastPollAt.AddDate(0, 0, -2)
		}
		uids, err = box.search(&imap.SearchCriteria{Since: since}, 0)
		return uids, -1, err
	}
	if last >= 0 && last <= *st.lastUID {
		return nil, -1, nil
	}
	through = -1
	to := imap.UID(0) // the last one, whatever its number
	if last-*st.lastUID > searchWindow {
		through = *st.lastUID + searchWindow
		to = imap.UID(through)
	}
	var set imap.UIDSet
	set.AddRange(imap.UID(*st.lastUID+1), to)
	uids, err = box.search(&imap.SearchCriteria{UID: []imap.UIDSet{set}}, *st.lastUID)
	return uids, through, err
}

// moveTo stores the position up to which the mailbox was read; errNotOurs if the poll lost
// its claim.
func (s *Service) moveTo(tx *db.Tx, j *jobs.Job, validity uint32, uid int64) error {
	ours, err := j.Progress(tx)
	if err != nil {
		return err
	}
	if !ours {
		return errNotOurs
	}
	return setPosition(tx, j.AccountID, int64(validity), uid)
}

// fetchOne accepts one mail and moves the position in the same transaction.
func (s *Service) fetchOne(ctx context.Context, box *imapClient, j *jobs.Job, validity uint32, uid imap.UID) error {
	size, err := box.size(uid)
	if err != nil {
		return err
	}
	position := func(tx *db.Tx) error { return s.moveTo(tx, j, validity, int64(uid)) }
	found, err := box.read(uid, s.MaxSize, size > s.MaxSize, func(raw io.Reader, whole bool) error {
		refused := ""
		if !whole {
			refused = ReasonTooLarge
		}
		_, err := s.Accept(ctx, Arrival{
			AccountID: j.AccountID, Route: "imap", Key: fmt.Sprintf("imap:%d:%d", validity, uid),
			Raw: raw, Refused: refused, Also: position,
		})
		return err
	})
	if err == nil && !found {
		// The mail was deleted meanwhile.
		return s.DB.TenantOf(ctx).InTx(ctx, position)
	}
	return err
}
