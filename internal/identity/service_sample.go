package identity

import (
	"context"

	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"konak/internal/kit/caller"
	"konak/internal/kit/clock"
	"konak/internal/kit/db"
	"konak/internal/kit/perm"
)

// Sample writes one of each record of this room with text in it, for tests
// that walk over every route.
func (s *Service) Sample(ctx context.Context, text string) error {
	if err := s.samplePasskey(ctx, text); err != nil {
		return err
	}
	if _, err := s.SetRole(ctx, Role{Name: text, Title: text, Permissions: []perm.Permission{perm.ConversationsView}}); err != nil {
		return err
	}
	if _, err := s.AddKey(ctx, text, EnvLive, []string{"conversations.read"}, nil); err != nil {
		return err
	}
	app, err := s.AddApp(ctx, App{Name: text, RedirectURIs: []string{"https://" + text + ".example/cb"}, Scopes: []string{"conversations.read"}})
	if err != nil {
		return err
	}
	_, err = s.Authorize(ctx, AuthRequest{
		ClientID: app.ClientID, RedirectURI: app.RedirectURIs[0], ResponseType: "code", State: text,
		CodeChallenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", CodeChallengeMethod: "S256",
	}, true, uuid.Nil)
	if err != nil {
		return err
	}
	_, err = s.Invite(ctx, NewMember{Email: text + "@invited.example", Name: text, Role: RoleAgent, Language: "tr"})
	return err
}

func (s *Service) samplePasskey(ctx context.Context, text string) error {
	return s.tenant(ctx).InTx(ctx, func(tx *db.Tx) error {
		a, err := accountByMember(&tx.Reader, caller.From(ctx).ID)
		if err != nil {
			return err
		}
		key := Passkey{ID: tx.NewID(), Name: text, CreatedAt: clock.At(tx.Now())}
		_, err = putPasskey(tx, a.user.ID, key, webauthn.Credential{ID: key.ID[:]})
		return err
	})
}
