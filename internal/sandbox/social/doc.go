// Package social stands in for Meta's Graph API of pages and Instagram accounts: a server
// that keeps apps and pages, refuses what Meta refuses with Meta's codes, and posts signed
// webhooks. It passes unknown requests to the next stand-in of the same API.
//
// Its methods act as people (Write, Say, React, Edit, Delete, ReadAll). A page gets a copy
// of what is sent in its name. Free text to customers who have not written within 24 hours
// is refused, with the human-agent tag after 7 days.
package social
