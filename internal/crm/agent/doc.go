// Package agent manages the people who work in the CRM: their place in the
// workspace, whether they may sign in, and how they sign in on their phone.
//
// An agent is a member of the workspace; an agent's id is the membership's.
// Memberships belong to the identity module, which this package reaches through
// Members. What a suspended agent has in other modules (a ring group, the ownership
// of a conversation) ends in hooks that run in the transaction of the suspension,
// so a suspension is never partial.
//
// The key of a mobile QR is shown once and never stored. A QR on a screen is valid
// for two minutes and ends when its window is closed; a mailed one is valid for a
// day, whether or not the window is closed.
package agent
