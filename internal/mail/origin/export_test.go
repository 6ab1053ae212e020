package origin

// Reversed returns the reversed form of an address.
var Reversed = reversed
