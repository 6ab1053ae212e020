package engine

import (
	"context"
	"errors"
	"io"
	"net/mail"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/limit"
	"konak/internal/kit/smtpd"
	"konak/internal/mail/domain"
)

// The answers to mailboxes and senders.
var (
	errPassword   = &smtpd.Error{Code: 535, Enhanced: "5.7.8", Message: "The address or the password is wrong"}
	errSignIns    = &smtpd.Error{Code: 454, Enhanced: "4.7.0", Message: "Too many attempts, try again later"}
	errSignIn     = &smtpd.Error{Code: 530, Enhanced: "5.7.0", Message: "Sign in again"}
	errSuspended  = &smtpd.Error{Code: 550, Enhanced: "5.7.1", Message: "The mailbox is suspended"}
	errSentEnough = &smtpd.Error{Code: 452, Enhanced: "4.7.1", Message: "The mailbox has reached its daily limit, try again later"}
	errNotYours   = &smtpd.Error{Code: 553, Enhanced: "5.7.1", Message: "You may not send as this address"}
	errFrom       = &smtpd.Error{Code: 550, Enhanced: "5.7.1", Message: "You may not send as the address in From or Sender"}
	errNoFrom     = &smtpd.Error{Code: 550, Enhanced: "5.6.0", Message: "The mail must have one valid From header"}
	errHeader     = &smtpd.Error{Code: 552, Enhanced: "5.3.4", Message: "The header is too long"}
	errAddress    = &smtpd.Error{Code: 553, Enhanced: "5.1.3", Message: "The address cannot be read"}
	errSuppressed = &smtpd.Error{Code: 550, Enhanced: "5.1.1", Message: "The address does not exist: an earlier mail to it came back"}
	errPolicy     = &smtpd.Error{Code: 550, Enhanced: "5.7.1", Message: "A data-loss-prevention rule of your company does not allow this mail"}
	errForwarding = &smtpd.Error{Code: 550, Enhanced: "5.7.1", Message: "The mailbox may not forward to this address"}
	errLoop       = &smtpd.Error{Code: 554, Enhanced: "5.4.6", Message: "The mail is in a loop"}
	errPaused     = &smtpd.Error{Code: 450, Enhanced: "4.2.1", Message: "The mailbox is suspended, try again later"}
	errUnknown    = &smtpd.Error{Code: 550, Enhanced: "5.1.1", Message: "No such mailbox here"}
	errSender     = &smtpd.Error{Code: 501, Enhanced: "5.1.7", Message: "The sender's address cannot be read"}
	errListed     = &smtpd.Error{Code: 554, Enhanced: "5.7.1", Message: "Your address is on a block list: "}
	errNotProven  = &smtpd.Error{Code: 550, Enhanced: "5.7.26", Message: "The DMARC policy of the domain in From rejects mail that neither SPF nor DKIM shows to be from it"}
	errJunk       = &smtpd.Error{Code: 554, Enhanced: "5.7.1", Message: "The mail was classified as junk"}
	errFiltered   = &smtpd.Error{Code: 451, Enhanced: "4.7.1", Message: "Not now, try again later"}
	errLater      = &smtpd.Error{Code: 451, Enhanced: "4.3.0", Message: "Could not be stored, try again later"}
	errFull       = &smtpd.Error{Code: 452, Enhanced: "4.2.2", Message: "The storage is full, try again later"}
)

// The sign-in limits of a network: for one mailbox, and in total. Mail programs sign in for
// every mail, so the limits are above what people need and far below what guessing needs.
var (
	signInsOfMailbox = limit.Policy{Name: "smtp-sign-in", Burst: 100, Window: 10 * time.Minute}
	signInsOfNetwork = limit.Policy{Name: "smtp-sign-in-network", Burst: 1000, Window: 10 * time.Minute}
)

// account is a mailbox that signed in.
type account struct {
	tenant uuid.UUID
	box    domain.Mailbox
}

// session is one conversation with a mailbox or a sender.
type session struct {
	s *Service
	// connection is the context of the connection. ctx is renewed when a mail begins
	// and also refuses workspaces that are suspended by then.
	connection, ctx context.Context

	peer  smtpd.Peer
	hello string
	// who is the mailbox that is signed in, nil if none is.
	who  *account
	from string
	// to are the recipients of a mailbox's mail.
	to []string
	// inboxes are recipients of a sender's mail in the CRM; forwards and returns are those
	// whose copies are forwarded or sent back.
	inboxes  []inboxRecipient
	forwards []forward
	returns  []queued
	// unread are recipients whose mail nobody reads.
	unread []unreadRecipient
	// listed is the block list that contains the sender's address, once looked up.
	listed   string
	lookedUp bool
}

// inboxRecipient is a recipient in the CRM.
type inboxRecipient struct {
	tenant, account uuid.UUID
	addr            string
}

// unreadRecipient is an address whose mail is accepted but read by nobody: for automatic
// reports, or the operator's postmaster, who has no workspace.
type unreadRecipient struct {
	tenant uuid.UUID
	addr   string
}

// Hello implements smtpd.Greeted.
func (c *session) Hello(name string) { c.hello = name }

// Authenticate implements smtpd.Authenticator.
func (c *session) Authenticate(user, password string) error {
	c.ctx = c.s.DB.RefuseSuspended(c.connection)
	key := address.Fold(user)
	if !c.s.Limits.Take(c.ctx, signInsOfNetwork, limit.OfText(c.peer.Network.String())).Allowed ||
		!c.s.Limits.Take(c.ctx, signInsOfMailbox, limit.OfText(c.peer.Network.String()+" "+key)).Allowed {
		return errSignIns
	}
	tenant, box, err := c.s.Domains.SignIn(c.ctx, user, password)
	switch {
	case fault.Is(err, fault.WrongCredentials):
		return errPassword
	case err != nil:
		return c.deferMail("a mailbox could not sign in", err)
	}
	c.who = &account{tenant, box}
	return nil
}

// deferMail logs an error and returns the temporary refusal that is sent to the sender.
func (c *session) deferMail(what string, err error) error {
	if fault.Is(err, fault.WorkspaceSuspended) {
		return errPaused
	}
	c.s.Log.Error(what, "error", err)
	return errLater
}

// Mail implements smtpd.Session.
func (c *session) Mail(from string) error {
	c.Reset()
	c.ctx, c.from = c.s.DB.RefuseSuspended(c.connection), from
	if c.who == nil {
		return c.checkStranger(from)
	}
	// The mailbox may have changed since it signed in.
	tenant, box, err := c.s.Domains.FindMailbox(c.ctx, c.who.box.Address)
	switch {
	case fault.Is(err, fault.NotFound) || err == nil && (tenant != c.who.tenant || !box.HasPassword):
		return errSignIn
	case err != nil:
		return c.deferMail("a mailbox could not be found", err)
	case box.State == domain.MailboxSuspended:
		return errSuspended
	}
	c.who.box = box
	return c.checkSender(from, errNotYours)
}

// checkStranger returns a refusal for a sender who cannot be replied to or whose IP address
// is on a block list.
func (c *session) checkStranger(from string) error {
	if from != "" && !isPlainAddress(from) {
		return errSender
	}
	if !c.lookedUp {
		c.listed, c.lookedUp = c.s.Origin.FindList(c.ctx, c.peer.Address), true
	}
	if c.listed != "" {
		return &smtpd.Error{Code: errListed.Code, Enhanced: errListed.Enhanced, Message: errListed.Message + c.listed}
	}
	return nil
}

// isPlainAddress reports whether an address can be used in SMTP: without the name and
// comments that it may have in a header.
func isPlainAddress(addr string) bool {
	_, err := mail.ParseAddress("<" + addr + ">") // the brackets may contain only an address
	return err == nil
}

// checkSender returns refusal if the mailbox may not send as an address.
func (c *session) checkSender(addr string, refusal error) error {
	may, err := c.s.Domains.MaySendAs(c.ctx, c.who.tenant, c.who.box, addr)
	switch {
	case err != nil:
		return c.deferMail("a sender could not be checked", err)
	case !may:
		return refusal
	}
	return nil
}

// Rcpt implements smtpd.Session.
func (c *session) Rcpt(to string) error {
	if c.who != nil {
		return c.addRecipient(to)
	}
	if back, ok, err := c.s.findReturn(c.ctx, to); ok || err != nil {
		if err != nil {
			return c.deferMail("a bounce could not be matched", err)
		}
		if c.from != "" || back.ReportTo == "" {
			return errUnknown // only bounces go there
		}
		c.returns = append(c.returns, back)
		return nil
	}
	tenant, box, err := c.s.Domains.FindMailbox(c.ctx, to)
	if fault.Is(err, fault.NotFound) {
		role, at, known, err := c.s.findRole(c.ctx, to)
		switch {
		case err != nil:
			return c.deferMail("mail recipient look-up failed", err)
		case known && at == "":
			if r := (unreadRecipient{role, address.Fold(to)}); !slices.Contains(c.unread, r) {
				c.unread = append(c.unread, r)
			}
			return nil
		case known:
			return c.Rcpt(at)
		}
	}
	switch {
	case err != nil && !fault.Is(err, fault.NotFound):
		return c.deferMail("mail recipient look-up failed", err)
	case err == nil && box.Kind == domain.KindForward && box.State == domain.MailboxSuspended:
		return errPaused
	case err == nil && box.Kind == domain.KindForward:
		if !slices.ContainsFunc(c.forwards, func(f forward) bool { return f.box.ID == box.ID }) {
			c.forwards = append(c.forwards, forward{tenant, box}) // one copy per mailbox is enough
		}
		return nil
	}
	r := inboxRecipient{addr: to}
	if r.tenant, r.account, err = c.s.Inbox.FindRecipient(c.ctx, to); err != nil {
		return err
	}
	if !slices.ContainsFunc(c.inboxes, func(has inboxRecipient) bool { return has.account == r.account }) {
		c.inboxes = append(c.inboxes, r) // one copy per account is enough
	}
	return nil
}

// findRole reports whether an address without a mailbox is one that every domain has. It
// returns its workspace and the mailbox that receives its mail, "" for mail that nobody
// reads.
func (s *Service) findRole(ctx context.Context, addr string) (tenant uuid.UUID, to string, known bool, err error) {
	local, name, _ := strings.Cut(address.Fold(strings.TrimSpace(addr)), "@")
	if local == "postmaster" && (name == "" || name == s.Host || name == s.Domain) {
		return tenant, "", true, nil // the operator's, who reads the log
	}
	tenant, to, err = s.Domains.FindRole(ctx, addr)
	if fault.Is(err, fault.NotFound) {
		return tenant, "", false, nil
	}
	return tenant, to, err == nil, err
}

// addRecipient adds a recipient of a mailbox's mail.
func (c *session) addRecipient(to string) error {
	e, ok := address.ParseEmail(to)
	if !ok {
		return errAddress
	}
	known, err := db.Read(c.ctx, c.s.DB.Tenant(c.who.tenant), func(r *db.Reader) (bool, error) { return isSuppressed(r, e.Key) })
	switch {
	case err != nil:
		return c.deferMail("mail recipient look-up failed", err)
	case known:
		return errSuppressed
	}
	if !address.ContainsEmail(c.to, e.Address) {
		c.to = append(c.to, e.Address)
	}
	return nil
}

// SendsOn implements smtpd.Relay.
func (c *session) SendsOn() bool { return len(c.forwards)+len(c.returns) > 0 }

// Data implements smtpd.Session.
func (c *session) Data(r io.Reader) error {
	if c.who != nil {
		return c.submit(r)
	}
	return c.receive(r)
}

// Reset implements smtpd.Session.
func (c *session) Reset() {
	c.from, c.to, c.inboxes, c.forwards, c.returns, c.unread = "", nil, nil, nil, nil, nil
}

// asRefusal returns an SMTP error unchanged, errFull if the storage is full, and a
// temporary refusal for any other error, which it logs.
func (c *session) asRefusal(what string, err error) error {
	if _, ok := errors.AsType[*smtpd.Error](err); ok || err == nil {
		return err
	}
	if fault.Is(err, fault.StorageFull) {
		return errFull
	}
	return c.deferMail(what, err)
}
