// Package template keeps message templates: what a business may write to a
// customer on a messaging channel outside the window in which they wrote.
//
// The provider reviews templates and has the last word. A record says what the
// provider said last; only a draft is ours alone. It changes through this
// package's gate, which writes the record, its audit line and
// template.status_changed in one transaction, whether a person, a sync or the
// provider's webhook brings the change.
//
// The package knows no channel: who carries a template to the provider implements
// Provider and is set by the app.
package template
