// Package signin lets people create an account and prove that it is theirs: sign-up,
// password, two-factor codes, passkeys, password reset and the fresh proof that some calls
// need.
//
// A sign-up is no account until its address is proven, and no answer reveals whether an
// address has an account. A wrong password or code is a 422 and counts against the address
// that it came from; each ticket, link and challenge works once. Sessions, people and
// workspaces belong to package identity, which opens them for this package.
package signin
