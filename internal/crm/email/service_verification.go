package email

import (
	"context"
	"crypto/hmac"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/address"
	"konak/internal/kit/api"
	"konak/internal/kit/audit"
	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/limit"
	"konak/internal/kit/secret"
)

// lookupTime limits a DNS lookup.
const lookupTime = 5 * time.Second

// findVerification returns how the mailbox's address was verified, nil if it was not. A
// code is valid for the address it was mailed to, a DNS record for all addresses of its
// domain.
func (s *Service) findVerification(r *db.Reader, set Settings, st state) (*verification, error) {
	if st.verifiedKey != nil && *st.verifiedKey == address.Fold(set.Address) && (*st.verifiedBy != byOutbox || s.Relay.KeepsOutbox()) {
		return &verification{ByCode, *st.verifiedAt}, nil
	}
	at, err := domainVerifiedAt(r, domainOf(set.Address))
	if db.IsNoRow(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("email: find verification: %w", err)
	}
	return &verification{ByDNS, at}, nil
}

// sending returns how a mailbox's mail is sent.
func (s *Service) sending(r *db.Reader, set Settings, st state) (Sending, error) {
	v, err := s.findVerification(r, set, st)
	if err != nil {
		return Sending{}, err
	}
	out := Sending{
		Server: OperatorServer, From: s.senderOf(set, st, v, "").from.Email, Verified: v != nil,
		DNSRecord: s.dnsRecord(r.Tenant(), domainOf(set.Address)),
	}
	if set.SMTP != nil {
		out.Server = OwnServer
	}
	if v != nil {
		out.VerifiedBy, out.VerifiedAt = &v.by, &v.at
	} else if st.code.usable(s.DB.Clock().Now()) {
		out.CodeExpiresAt = st.code.expiresAt
	}
	out.Quota, err = s.Relay.Usage(r)
	return out, err
}

// SendCode mails a code to a mailbox's address, in a language. The previously mailed code
// stops working. If the address is already verified, nothing is mailed. It returns
// rate_limited if codes were requested too often, and sending_quota_reached if the
// workspace may send no more mail today.
func (s *Service) SendCode(ctx context.Context, id uuid.UUID, language string) (m Mailbox, err error) {
	if m, err = s.Get(ctx, id); err != nil || m.Sending.Verified {
		return m, err
	}
	tenant := caller.From(ctx).TenantID
	if err := api.TakeLimits(ctx, s.Limits, codesOfAddress.By(limit.OfText(tenant.String()+"/"+address.Fold(m.Address))),
		codesOfWorkspace.By(limit.OfText(tenant.String()))); err != nil {
		return m, err
	}
	code, mailed := secret.NewDigits(6), s.mailedBy()
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if _, err := s.Channels.Lock(tx, Kind, id); err != nil {
			return err
		}
		c := mailedCode{hash: s.hashCode(tenant, id, m.Address, mailed, code), expiresAt: clock.Ptr(tx.Now().Add(codeLife))}
		if err := setCode(tx, id, c); err != nil {
			return fmt.Errorf("email: set code: %w", err)
		}
		if err := s.Relay.Send(tx, codeMail(m.Address, code, language)); err != nil {
			return err
		}
		if err := audit.Write(tx, "channel.sender_code_sent", id.String(), map[string]any{"address": m.Address}); err != nil {
			return err
		}
		m, err = s.get(&tx.Reader, id)
		return err
	})
	return m, err
}

// EnterCode verifies a mailbox's address with the code that was mailed to it. It returns
// wrong_code, or code_expired if no code can be tried: it is too old, was used, or had five
// wrong attempts.
func (s *Service) EnterCode(ctx context.Context, id uuid.UUID, code string) (m Mailbox, err error) {
	var refusal error
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		_, set, err := s.account(&tx.Reader, id)
		if err != nil {
			return err
		}
		st, err := lockMailbox(tx, id)
		if err != nil {
			return db.NotFound(err)
		}
		if refusal = nil; !st.code.usable(tx.Now()) {
			refusal = fault.New(fault.CodeExpired)
			return nil
		}
		mailed := s.mailedBy()
		if !hmac.Equal(st.code.hash, s.hashCode(tx.Tenant(), id, set.Address, mailed, strings.TrimSpace(code))) {
			// The attempt is counted, so this transaction must commit.
			refusal = fault.New(fault.WrongCode).Field("code", "wrong")
			st.code.attempts++
			return setCode(tx, id, st.code)
		}
		if err := setVerified(tx, id, address.Fold(set.Address), mailed); err != nil {
			return fmt.Errorf("email: set verified: %w", err)
		}
		if err := auditVerified(tx, id, set.Address, ByCode); err != nil {
			return err
		}
		m, err = s.get(&tx.Reader, id)
		return err
	})
	if err == nil {
		err = refusal
	}
	return m, err
}

func auditVerified(tx *db.Tx, id uuid.UUID, addr, by string) error {
	return audit.Write(tx, "channel.sender_verified", id.String(), map[string]any{"address": addr, "by": by})
}

// CheckDNS looks for the record that verifies the domain of a mailbox's address for the
// workspace. It returns dns_record_missing if the record does not exist, with the reason
// lookup_failed if the DNS does not answer.
func (s *Service) CheckDNS(ctx context.Context, id uuid.UUID) (m Mailbox, err error) {
	if m, err = s.Get(ctx, id); err != nil || m.Sending.Verified {
		return m, err
	}
	if err := api.TakeLimits(ctx, s.Limits, lookups.By(limit.OfText(caller.From(ctx).TenantID.String()))); err != nil {
		return m, err
	}
	if err := s.lookUp(ctx, m.Sending.DNSRecord); err != nil {
		return m, err
	}
	err = s.DB.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		if _, err := s.Channels.Lock(tx, Kind, id); err != nil {
			return err
		}
		fresh, err := putDomain(tx, domainOf(m.Address))
		if err != nil {
			return fmt.Errorf("email: put domain: %w", err)
		}
		if fresh {
			if err := auditVerified(tx, id, m.Address, ByDNS); err != nil {
				return err
			}
		}
		m, err = s.get(&tx.Reader, id)
		return err
	})
	return m, err
}

// lookUp returns nil if the DNS has the record.
func (s *Service) lookUp(ctx context.Context, want DNSRecord) error {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	// The trailing dot prevents the use of the system's search domains.
	found, err := s.DNS.LookupTXT(ctx, want.Name+".")
	if e, ok := errors.AsType[*net.DNSError](err); err != nil && !(ok && e.IsNotFound) {
		return fault.New(fault.DNSRecordMissing).Because("lookup_failed").Wrap(err)
	}
	if !slices.ContainsFunc(found, func(text string) bool { return strings.TrimSpace(text) == want.Value }) {
		return fault.New(fault.DNSRecordMissing)
	}
	return nil
}
