// Package helpcenter is the workspace's help center: articles that its people
// write, and the public site on which everybody reads them.
//
// An article belongs to a category and has a text in one or more languages. Every
// save of a text is a version that never changes. The newest version is the
// draft; the published one is also a version, and the only one that the site, the
// feed, the search and the widget read. So saving a draft cannot make it public,
// and a published text does not change until somebody publishes again.
//
// Each change goes through one function that writes the record, its audit line,
// its event and the next revision of the site in one transaction. The site is
// served from memory as long as its revision is unchanged: a node asks for the
// revision at most once a second.
//
// The site has no cookies and needs no script. It has its own host,
// {slug}.help.DOMAIN, where neither the API nor the panel is served. What visitors
// enter about themselves in the contact form is only a claim: the message begins a
// conversation of a new contact.
//
// It refuses raw HTML in articles, texts that nest too deeply or render to too
// much, and more articles and votes than its limits.
package helpcenter
