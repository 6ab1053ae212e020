// Package meta is what the channels over Meta's Graph API share: how the provider says
// no, how its signed calls find their accounts, and how it is told about calls. It
// knows no wire format.
package meta
