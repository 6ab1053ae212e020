// Package template keeps message templates: what a business may write to a
// customer on a messaging channel outside the window in which they wrote.
//
// The provider reviews templates and has the last word. A record holds the
// provider's latest report; only drafts exist just here. It changes through this
// package's gate, which writes the record, its audit line and
// template.status_changed in one transaction, whether the change comes from a
// person, a sync or the provider's webhook.
//
// The package knows no channel: the app supplies a Provider, which sends templates
// to their reviewers.
package template
