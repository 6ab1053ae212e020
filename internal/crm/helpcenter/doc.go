// Package helpcenter is the workspace's help center: articles that its people
// write, and the public site on which everybody reads them.
//
// An article stands in a category and has a text in one or more languages. Every
// save of a text is a version that never changes. The newest version is the
// draft; the published one is a version, too, and the only one that the site, the
// feed, the search and the widget read. So a draft cannot become public by being
// saved, and a published text does not change until somebody publishes again.
//
// Each change goes through one function that writes the record, its audit line,
// its event and the next revision of the site in one transaction. The site is
// read from memory while its revision stays: a node asks for the revision at most
// once a second.
//
// The site has no cookies and needs no script. It lives on a host of its own,
// {slug}.help.DOMAIN, where neither the API nor the panel is served. What a
// visitor types into the contact form about themselves is a claim: the message
// begins a conversation of a contact of its own.
//
// It refuses raw HTML in articles, texts that nest too deeply or render to too
// much, and more articles and votes than its limits.
package helpcenter
