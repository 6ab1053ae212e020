package helpcenter

import (
	"time"

	"konak/internal/kit/limit"
)

const day = 24 * time.Hour

// What visitors may do, per IP address and per workspace. They are anonymous, and what they
// send is stored.
var (
	searchesOfAddress   = limit.Policy{Name: "help-searches", Burst: 60, Window: time.Minute}
	votesOfAddress      = limit.Policy{Name: "help-votes", Burst: 30, Window: 10 * time.Minute}
	votesOnText         = limit.Policy{Name: "help-votes-text", Burst: 1, Window: day}
	messagesOfAddress   = limit.Policy{Name: "help-messages", Burst: 5, Window: 10 * time.Minute}
	messagesADay        = limit.Policy{Name: "help-messages-day", Burst: 30, Window: day}
	messagesOfWorkspace = limit.Policy{Name: "help-messages-workspace", Burst: 5_000, Window: day}
)
