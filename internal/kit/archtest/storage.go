package archtest

import (
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// systemReasons are the few reasons to cross tenants. A new one is a decision: it must be
// added here and reviewed.
var systemReasons = []string{
	"add member", "count workspaces", "create key", "create workspace", "credential look-up", "key last used", "app look-up",
	"invitation look-up", "mobile QR look-up", "set licences", "delete workspace",
	"client registration", // identity: a client registers itself before anybody signs in
	"metrics",
	"suspended workspaces",                                                 // checked by every request before its tenant is known
	"session last seen", "sign-in", "sign-up", "password reset", "captcha", // identity: found before the tenant is known
	"limits", "mail outbox", "mail quotas", "dispatcher", "job claim", "dead jobs", "delivery claim", "keyless look-up", "janitor", "snooze scan", "blob sweep", "file check", "upload sweep", "idle visitors",
	"channel look-up",                // crm: a channel key or a provider names the account before the tenant is known
	"mail domain look-up",            // mail: finds the owner of a domain before the tenant is known
	"mail policies",                  // mail: the policies of other domains belong to no tenant
	"master key",                     // its keys belong to the installation
	"serving nodes",                  // they belong to the installation
	"fill demo",                      // before there are people
	"exchange",                       // its own store holds the devices and lines of all tenants
	"installation's audit log",       // lines that belong to no tenant
	"exchange lease",                 // it belongs to the installation
	"phone commands", "phone events", // telephony: one exchange carries the calls of all tenants
	"dialled number",       // telephony: a carrier calls a number before the tenant is known
	"dialled account",      // telephony: a messaging provider calls before the tenant is known
	"phone ticket look-up", // telephony: a ticket opens the socket before the tenant is known
	"regulation corpus",    // advisor: public text that belongs to no tenant
}

// knownSystemCallers checks every call of db.System against the list.
func knownSystemCallers(f *file) (faults []string) {
	if f.test || f.syntax == nil || strings.Contains(f.dir, "test") || strings.HasPrefix(f.dir, "internal/tools") {
		return nil
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return true
		}
		if sel, ok := call.Fun.(*ast.SelectorExpr); !ok || sel.Sel.Name != "System" {
			return true
		}
		reason := "?"
		if lit, ok := call.Args[0].(*ast.BasicLit); ok {
			reason, _ = strconv.Unquote(lit.Value)
		}
		if !slices.Contains(systemReasons, reason) {
			faults = append(faults, fmt.Sprintf("%s:%d: crosses tenants for %q, which is not among the reasons in storage.go", f.path, f.fset.Position(call.Pos()).Line, reason))
		}
		return true
	})
	return faults
}

// noNestedTx refuses a transaction or a separate read that is written inside the function
// of a transaction. Functions called from there are refused at run time (db.ErrNested).
func noNestedTx(f *file) (faults []string) {
	if f.syntax == nil || f.dir == "internal/kit/db" {
		return nil
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if !passesLiteral(n, "Tx") {
			return true
		}
		args := n.(*ast.CallExpr).Args
		ast.Inspect(args[len(args)-1], func(inner ast.Node) bool {
			if (passesLiteral(inner, "Tx") || passesLiteral(inner, "Reader")) && !calls(inner, "AfterCommit") {
				faults = append(faults, fmt.Sprintf("%s: a transaction inside of a transaction", f.at(inner.Pos())))
			}
			return !calls(inner, "AfterCommit")
		})
		return true
	})
	return faults
}

// passesLiteral reports whether a node is a call of InTx, Write or Read whose last argument is a
// function literal with a parameter of that type of kit/db.
func passesLiteral(n ast.Node, typ string) bool {
	if !calls(n, "InTx") && !calls(n, "Write") && !calls(n, "Read") {
		return false
	}
	args := n.(*ast.CallExpr).Args
	fn, ok := args[len(args)-1].(*ast.FuncLit)
	if !ok || len(fn.Type.Params.List) != 1 {
		return false
	}
	star, ok := fn.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == typ
}

// calls reports whether a node is a call, with arguments, of a method or function with that
// name.
func calls(n ast.Node, name string) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == name
}
