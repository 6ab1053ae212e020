// Package number keeps the phone numbers that a workspace rents from the
// operator's provider: what is on offer, buying, naming, the default, giving back,
// and the monthly fee.
//
// What always holds: a number belongs to one workspace at a time; at most one of a
// workspace's numbers is the default, and that one is active; the fee of a number
// is set aside before the provider is asked for it, spent when the provider has
// given it, and given back when it has not. The provider knows a number by our
// id, so that a purchase whose answer was lost is found and not repeated.
package number
