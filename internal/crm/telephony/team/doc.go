// Package team keeps who of a workspace has a phone: the extension, where calls ring,
// and whether the team's calls ring there too.
//
// The password of a phone is shown once, to whose phone it is, and stored nowhere
// here: the exchange gets a hash of it (HA1) and keeps that sealed in a store of its
// own.
package team
