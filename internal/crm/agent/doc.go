// Package agent is the people who work in the CRM: who they are to the
// workspace, whether they may come in, and how they sign in on their phone.
//
// An agent is a member of the workspace; an agent's id is the membership's.
// Membership itself is identity's: this package asks for it through Members. What
// other modules lose with a suspended agent (a ring group, the ownership of a
// conversation) ends in hooks that run in the transaction of the suspension,
// so an agent is never half gone.
//
// The key of a mobile QR is shown once and never stored. A QR on a screen lives
// two minutes and dies with its window; one that was mailed lives a day,
// whatever becomes of the window.
package agent
