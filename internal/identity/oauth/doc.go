// Package oauth lets people give apps access: registered apps, consents and the
// authorization code flow of RFC 6749 with PKCE (RFC 7636).
//
// An app has no secret; each exchange is proven by PKCE with S256. A code is valid for a
// minute and one use; its second use ends the session that the first one opened. An app's
// session may do what its person granted and may do themselves. Sessions belong to package
// identity, which opens and closes them for this package.
package oauth
