// Package social stands in for Meta's Graph API of pages and Instagram accounts: a
// server that keeps apps and pages, refuses what Meta refuses with Meta's codes, and
// posts signed webhooks. What it does not know it hands to the next stand-in of the
// same API.
//
// People are played by its methods (Write, Say, React, Edit, Delete, ReadAll). A page
// gets a copy of what is sent in its name. Free text to who did not write within 24
// hours is refused, with the human-agent tag after 7 days.
package social
