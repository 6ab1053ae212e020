package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var outboxWrite = regexp.MustCompile(`(?i)(insert\s+into|update|delete\s+from)\s+outbox\b`)

// oneOutbox keeps the gate the only way out: the event kit alone writes the
// outbox, and only inside the transaction it is given.
func oneOutbox(f *file) (faults []string) {
	if strings.HasPrefix(f.path, "internal/kit/event/") || strings.HasPrefix(f.path, "internal/kit/archtest/") || f.test || f.syntax == nil {
		return nil
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && outboxWrite.MatchString(lit.Value) {
			faults = append(faults, fmt.Sprintf("%s:%d: writes the outbox; emit with event.Emit in the gate's transaction", f.path, f.fset.Position(lit.Pos()).Line))
		}
		return true
	})
	return faults
}

// systemReasons are the few reasons to cross tenants. A new one is a decision:
// it belongs here and in the review.
var systemReasons = []string{
	"add member", "count workspaces", "create key", "create workspace", "credential look-up", "key last used", "app look-up",
	"invitation look-up", "mobile QR look-up", "set licences",
	"session last seen", "sign-in", "sign-up", "password reset", "captcha", // identity: found before the tenant is known
	"limits", "mail outbox", "dispatcher", "job claim", "dead jobs", "delivery claim", "keyless look-up", "janitor", "snooze scan", "blob sweep", "upload sweep",
	"channel look-up",   // crm: a channel key or a provider names the account before the tenant is known
	"fill demo",         // before anybody is there
	"regulation corpus", // advisor: public text that belongs to no tenant
}

// knownSystemCallers holds every call of db.System to the list.
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
