package origin

// Reversed is the reversed form of an address.
var Reversed = reversed
