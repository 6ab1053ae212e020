// Package meta holds what the channels over Meta's Graph API share: the provider's error
// responses, finding the accounts of its signed calls, and the settings of calls. It knows
// no wire format.
package meta
