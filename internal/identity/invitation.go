package identity

import (
	"fmt"

	"github.com/google/uuid"

	"konak/internal/kit/api"
	"konak/internal/kit/clock"
)

// Invitation is somebody who was invited.
type Invitation struct {
	MembershipID uuid.UUID  `json:"membership_id"`
	Email        string     `json:"email" example:"ayse@example.com"`
	Role         string     `json:"role" example:"agent"`
	ExpiresAt    clock.Time `json:"expires_at"`
}

// Joined is the answer to an accepted invitation. There is a session in it for
// somebody who had no account.
type Joined struct {
	Workspace  Workspace                 `json:"workspace"`
	Membership Membership                `json:"membership"`
	Token      *string                   `json:"session_token" nullable:"true" example:"ses_…" doc:"Shown once, where the invitation opened an account"`
	Session    api.Nullable[SessionInfo] `json:"session"`
}

const pageInvitation = "/invitation"

func inviteLetter(inviter, workspace string) draft {
	body := text{
		fmt.Sprintf("%s sizi Konak'taki %s çalışma alanına davet etti.", inviter, workspace),
		fmt.Sprintf("%s invited you to the workspace %s on Konak.", inviter, workspace),
	}
	if inviter == "" {
		body = text{
			fmt.Sprintf("Konak'taki %s çalışma alanına davet edildiniz.", workspace),
			fmt.Sprintf("You are invited to the workspace %s on Konak.", workspace),
		}
	}
	return draft{
		subject:  text{workspace + " sizi bekliyor", workspace + " is waiting for you"},
		body:     []text{body},
		linkText: text{"Daveti kabul et", "Accept the invitation"},
		after: []text{{
			"Bağlantı 72 saat geçerlidir ve bir kez kullanılır. Daveti beklemiyorsanız bir şey yapmanız gerekmez.",
			"The link is good for 72 hours and works once. If you did not expect it, there is nothing to do.",
		}},
	}
}
