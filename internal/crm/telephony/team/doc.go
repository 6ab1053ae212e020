// Package team manages the agents who have a phone: the extension, where calls ring, and
// whether the team's calls ring there too.
//
// The password of a phone is shown once, to its owner, and not stored here: the exchange
// gets a hash of it (HA1) and keeps that sealed in its own store.
package team
