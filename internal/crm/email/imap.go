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

// How long the fetching of mails may take in all, and one of them.
const (
	pollTime = 4 * time.Minute
	// searchWindow is how many numbers of mails one search asks for: its answer
	// must fit into the budget of an answer.
	searchWindow = 5000
	// maxHead is how much is kept of a mail that is too large.
	maxHead = 256 << 10
)

// imapClient is a conversation with a mailbox elsewhere.
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

// open selects a folder; nothing in it can be changed.
func (b *imapClient) open(folder string) (*imap.SelectData, error) {
	b.conn.Renew(outbound.MaxAnswer, outbound.AnswerTime)
	data, err := b.Select(folder, &imap.SelectOptions{ReadOnly: true}).Wait()
	if err != nil {
		return nil, fmt.Errorf("the folder %s: %w", folder, b.conn.Explain(err))
	}
	return data, nil
}

// search gives the first mails of an answer that are above after.
func (b *imapClient) search(criteria *imap.SearchCriteria, after int64) ([]imap.UID, error) {
	b.conn.Renew(outbound.MaxAnswer, outbound.AnswerTime)
	found, err := b.UIDSearch(criteria, nil).Wait()
	if err != nil {
		return nil, b.conn.Explain(err)
	}
	out := []imap.UID{}
	set, _ := found.All.(imap.UIDSet)
	for _, r := range set {
		// A range of a few bytes can name all numbers there are.
		for uid := max(int64(r.Start), after+1); uid <= int64(r.Stop) && len(out) < pollBatch; uid++ {
			out = append(out, imap.UID(uid))
		}
	}
	return out, nil
}

// size is how large the server says that a mail is; 0 where it does not say.
func (b *imapClient) size(uid imap.UID) (int64, error) {
	b.conn.Renew(outbound.MaxAnswer, outbound.AnswerTime)
	list, err := b.Fetch(imap.UIDSetNum(uid), &imap.FetchOptions{UID: true, RFC822Size: true}).Collect()
	if err != nil || len(list) == 0 {
		return 0, b.conn.Explain(err)
	}
	return list[0].RFC822Size, nil
}

// read hands a mail of at most limit bytes to take while it comes, or only its
// head where it is longer, and says whether the mail is there.
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
	// What is left must be read in any case: the client waits for its reader.
	if err := errors.Join(taken, cmd.Close()); err != nil {
		return found, b.conn.Explain(err)
	}
	return found, nil
}

// head is the header of a mail as far as it is kept.
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

// exactly reads what was announced: a mail that was cut off is an error, and
// not a shorter mail.
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
	uids, through, err := s.fresh(box, data, st)
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
		err := s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
			return s.moveTo(tx, j, data.UIDValidity, through)
		})
		return through < int64(data.UIDNext)-1, err
	}
	return false, nil
}

// fresh lists the mails to fetch, the oldest first, and up to which number the
// folder is read with them; -1 where they say it themselves. A mailbox that is
// looked at for the first time holds history only. Where the server numbered
// its mails anew, those of the last days are fetched again: what came before is
// recognised.
func (s *Service) fresh(box *imapClient, data *imap.SelectData, st state) (uids []imap.UID, through int64, err error) {
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

// moveTo sets how far the mailbox was read, where the poll is still ours.
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
		// Deleted meanwhile.
		return s.tenant(ctx).InTx(ctx, position)
	}
	return err
}
