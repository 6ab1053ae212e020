package contact

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/audit"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
)

// ClaimResult is the contact after a claim was linked, and the merge if another contact had
// the address or the number.
type ClaimResult struct {
	Contact Contact             `json:"contact"`
	Merge   api.Nullable[Merge] `json:"merge" doc:"The merge, which can be undone; null if no other contact had the address or number"`
}

// keepClaims stores the claims of an unproven sender. Existing claims stay unchanged.
func (b *Book) keepClaims(tx *db.Tx, contact uuid.UUID, said []Claim) error {
	if len(said) == 0 {
		return nil
	}
	kept, err := claimsOf(&tx.Reader, contact)
	if err != nil {
		return fmt.Errorf("contact: claims: %w", err)
	}
	for _, c := range said {
		same := func(k Claim) bool { return k.Kind == c.Kind && k.key == c.key }
		if len(kept) >= maxClaims || slices.ContainsFunc(kept, same) {
			continue
		}
		c.ID, c.At = tx.NewID(), clock.At(tx.Now())
		if err := putClaim(tx, contact, c); err != nil {
			return fmt.Errorf("contact: put claim: %w", err)
		}
		kept = append(kept, c)
	}
	return nil
}

// LinkClaim marks a claim as proven because the caller checked it. If another contact has
// the address or the number, this contact is merged into it; otherwise this contact gets
// it. A claim that is already proven is a conflict.
func (s *Service) LinkClaim(ctx context.Context, contact, claim uuid.UUID) (out ClaimResult, err error) {
	err = s.db.TenantOf(ctx).InTx(ctx, func(tx *db.Tx) error {
		out, err = s.prove(tx, contact, claim, ProofAgent)
		return err
	})
	return out, conflict(err)
}

func (s *Service) prove(tx *db.Tx, contact, id uuid.UUID, proof string) (out ClaimResult, err error) {
	c, err := refByID(&tx.Reader, contact)
	if err != nil {
		return out, db.NotFound(err)
	}
	list, err := claimsOf(&tx.Reader, contact)
	if err != nil {
		return out, err
	}
	i := slices.IndexFunc(list, func(k Claim) bool { return k.ID == id })
	if i < 0 {
		return out, fault.New(fault.NotFound)
	}
	claim := list[i]
	if claim.Proof != nil {
		return out, fault.New(fault.Conflict).Because("already_proven")
	}
	holder, err := holderOfClaim(&tx.Reader, claim, c.Test)
	switch {
	case db.IsNoRow(err):
		_, err = s.changeIn(tx, contact, func(_ *db.Tx, c *Contact) error { claim.addTo(c); return nil })
	case err == nil && holder.ID != contact:
		var merged MergeResult
		merged, err = s.merge(tx, holder.ID, contact)
		out.Merge.V, contact = &merged.Merge, holder.ID
	}
	if err != nil {
		return out, err
	}
	// A key of the test environment must not change live contacts; locking the contact
	// checks this.
	if _, err := lockByID(tx, contact); err != nil {
		return out, err
	}
	if err := setProof(tx, id, proof, callerID(tx.Context())); err != nil {
		return out, fmt.Errorf("contact: set proof: %w", err)
	}
	details := map[string]string{"claim": id.String(), "kind": claim.Kind, "proof": proof}
	if err := audit.Write(tx, "contact.claim_linked", contact.String(), details); err != nil {
		return out, err
	}
	out.Contact, err = byID(&tx.Reader, contact)
	return out, err
}

// addTo adds the claimed address or number to the contact.
func (k *Claim) addTo(c *Contact) {
	if k.Kind == ClaimEmail {
		c.Emails = append(slices.Clone(c.Emails), Email{Address: k.Value, Primary: len(c.Emails) == 0})
		return
	}
	c.Phones = append(slices.Clone(c.Phones), Phone{E164: k.Value, Primary: len(c.Phones) == 0})
}

// matchClaims sets, for each unproven claim of a contact, the contact that has the address
// or number.
func matchClaims(r *db.Reader, c *Contact) error {
	for i := range c.Claims {
		k := &c.Claims[i]
		if k.Proof != nil {
			continue
		}
		holder, err := holderOfClaim(r, *k, c.Test)
		if err == nil && holder.ID != c.ID {
			k.Match.V = &ClaimMatch{ID: holder.ID, Name: holder.Name}
		} else if err != nil && !db.IsNoRow(err) {
			return err
		}
	}
	return nil
}
