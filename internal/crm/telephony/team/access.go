package team

import (
	"context"

	"github.com/google/uuid"

	"konak/internal/crm/telephony"
	"konak/internal/kit/db"
	"konak/internal/kit/fault"
	"konak/internal/kit/perm"
)

// The texts shown on a telephone that may not be signed in.
const (
	whySuspended  = "This workspace is suspended"
	whyUnlicensed = "This workspace has no licence for telephony"
	whyForbidden  = "You may not make calls in this workspace"
)

// MayCall returns forbidden if an agent may not make calls any more.
func (s *Service) MayCall(r *db.Reader, agent uuid.UUID) error {
	who, err := s.Agents.AgentsWho(r, perm.CallsMake, agent)
	if err != nil {
		return err
	}
	if _, may := who[agent]; !may {
		return fault.New(fault.Forbidden, string(perm.CallsMake))
	}
	return nil
}

// CheckLicence returns not_licensed for a workspace that has no telephony.
func (s *Service) CheckLicence(r *db.Reader) error {
	has, err := s.Agents.HasLicence(r, telephony.Licences...)
	if err == nil && !has {
		err = fault.New(fault.NotLicensed, telephony.Licences[0])
	}
	return err
}

// RefusedPhones returns the phones of a workspace that may not be signed in, and why: those
// of agents who may not call, and all of them if the workspace is suspended or has no
// telephony.
func (s *Service) RefusedPhones(ctx context.Context, tenant uuid.UUID, usernames []string) (refused map[string]string, err error) {
	err = s.DB.Tenant(tenant).Read(ctx, func(r *db.Reader) error {
		refused = map[string]string{}
		all, err := s.whyNone(r)
		if err != nil {
			return err
		}
		owners, err := ownersOfPhones(r)
		if err != nil {
			return err
		}
		may, err := s.Agents.AgentsWho(r, perm.CallsMake)
		for _, name := range usernames {
			if _, ok := may[owners[name]]; all != "" {
				refused[name] = all
			} else if !ok {
				refused[name] = whyForbidden
			}
		}
		return err
	})
	return refused, err
}

// whyNone returns why no phone of the workspace may be signed in; "" if phones may.
func (s *Service) whyNone(r *db.Reader) (string, error) {
	suspended, err := db.IsSuspended(r)
	if err != nil || suspended {
		return whySuspended, err
	}
	if err := s.CheckLicence(r); fault.Is(err, fault.NotLicensed) {
		return whyUnlicensed, nil
	} else if err != nil {
		return "", err
	}
	return "", nil
}
