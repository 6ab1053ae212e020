// Package number manages the phone numbers that a workspace rents from the operator's
// provider: searching, buying, naming, choosing the default, giving back, and the monthly
// fee.
//
// What always holds: a number belongs to one workspace at a time; at most one of a
// workspace's numbers is the default, and that one is active; the fee of a number is set
// aside before the provider is asked for it, spent once the provider has rented it to us,
// and released if the provider refuses. The provider stores our id with the number, so
// that a purchase whose answer was lost is found and not repeated.
package number
