package archtest

import (
	"path"
	"slices"
	"strings"
)

// An area is a part of the code base. The area of a package follows from its folder only.
type area struct {
	kind string // one of the constants below
	name string // of a module, or of the folder below provider and sandbox
	sub  string // below a module: the package of crm, or of another module
}

const (
	areaRoot     = "root"     // migrations and web: files embedded into the binary
	areaCmd      = "cmd"      // the program
	areaApp      = "app"      // wiring
	areaKit      = "kit"      // the base of every module
	areaModule   = "module"   // identity, webhook, mail, advisor, crm
	areaProvider = "provider" // clients of outside services
	areaSandbox  = "sandbox"  // their stand-ins
	areaTools    = "tools"    // programs for developers
)

// areaOf returns the area of a folder, which is given relative to the repository's root.
func areaOf(dir string) area {
	parts := strings.Split(dir, "/")
	if parts[0] == "cmd" {
		return area{kind: areaCmd}
	}
	if parts[0] != "internal" || len(parts) < 2 {
		return area{kind: areaRoot, name: parts[0]}
	}
	name, sub := parts[1], ""
	if len(parts) > 2 {
		sub = parts[2]
	}
	if name == "crm" {
		sub = strings.Join(parts[2:], "/")
	}
	switch name {
	case areaApp, areaKit, areaTools:
		return area{kind: name}
	case areaProvider, areaSandbox:
		return area{kind: name, name: sub}
	}
	return area{kind: areaModule, name: name, sub: sub}
}

// areaOfImport returns the area of an imported package, if it is in this repository.
func areaOfImport(importPath string) (area, bool) {
	dir, ok := strings.CutPrefix(importPath, module+"/")
	return areaOf(dir), ok
}

func (r area) String() string {
	return strings.TrimPrefix(path.Join(r.kind, r.name, r.sub), areaModule+"/")
}

// mayImport lists what the code of each kind of area may import. Modules are further
// restricted by crmImports and by the rule about several modules.
var mayImport = map[string][]string{
	areaRoot:     {},
	areaKit:      {areaKit, areaRoot},
	areaModule:   {areaKit, areaModule, areaRoot},
	areaProvider: {areaKit, areaModule, areaProvider},
	areaSandbox:  {areaKit, areaProvider, areaSandbox},
	areaApp:      {areaKit, areaModule, areaProvider, areaSandbox, areaApp, areaRoot},
	areaCmd:      {areaKit, areaModule, areaProvider, areaSandbox, areaApp, areaRoot, areaCmd},
	areaTools:    {areaKit, areaModule, areaProvider, areaSandbox, areaApp, areaRoot, areaTools},
}

// crmImports lists the allowed imports between crm's packages; they go one way. The check
// reports a package that is not listed.
var crmImports = map[string][]string{
	"agent":    {},
	"contact":  {},
	"template": {},

	// Stores below the gate.
	"conversation/file":   {},
	"conversation/later":  {"conversation/file"},
	"conversation/draft":  {"conversation/file"},
	"conversation/group":  {},
	"conversation/hourly": {},
	// The gate: nothing else changes a conversation.
	"conversation": {"conversation/file", "conversation/count", "conversation/later", "conversation/draft", "conversation/group", "conversation/hourly", "contact", "agent", "template"},
	// Packages that build on the gate.
	"conversation/whole":    {"conversation", "conversation/later", "conversation/draft", "contact"},
	"conversation/survey":   {"conversation"},
	"conversation/inbound":  {"conversation", "conversation/edit", "conversation/survey", "conversation/file", "conversation/group", "contact"},
	"conversation/airecord": {"conversation", "contact"},
	"conversation/edit":     {"conversation"},
	"conversation/export":   {"conversation", "conversation/file", "contact"},
	"conversation/card":     {"conversation", "contact"},
	"reply": {
		"conversation", "conversation/edit", "conversation/inbound", "conversation/file", "conversation/later", "conversation/draft", "contact", "template",
	},
	"inboxapi": {
		"conversation", "conversation/whole", "conversation/airecord", "conversation/edit", "conversation/export", "conversation/card", "conversation/file",
		"conversation/later", "conversation/draft", "conversation/group", "conversation/hourly", "reply", "contact", "template",
	},
	"channel": {"conversation", "conversation/airecord", "conversation/edit", "conversation/inbound", "conversation/survey", "conversation/file", "conversation/group", "reply", "contact", "agent", "template"},
	"email":   {"channel", "conversation", "conversation/inbound", "conversation/file", "reply", "contact", "agent", "template"},

	"desk":      {"conversation", "conversation/group", "conversation/later", "reply", "contact"},
	"assistant": {"conversation", "conversation/airecord", "reply", "contact", "agent", "template"},
	// What the assistant answers from.
	"assistant/library": {"assistant", "desk", "helpcenter"},

	"telephony":  {"conversation", "conversation/inbound", "conversation/file", "contact", "agent", "template"},
	"live":       {"conversation", "agent"},
	"notice":     {"conversation"},
	"finder":     {"conversation", "contact"},
	"helpcenter": {"channel", "conversation", "conversation/inbound", "contact"},
	"mcp":        {"conversation", "reply", "finder", "helpcenter", "contact", "agent"},
}

// exchangeInterface is the package that declares what an exchange is, without an
// implementation. Telephony may import it: it has twenty methods and their types, which a
// second declaration in telephony would only repeat.
var exchangeInterface = area{kind: areaModule, name: "exchange"}

// soundWires are the packages that read and write the sound of calls on the wire. The
// stand-ins that speak SIP may import them: their ciphers are checked against published
// examples.
var soundWires = []area{{kind: areaModule, name: "exchange", sub: "rtp"}, {kind: areaModule, name: "exchange", sub: "sdp"}}

// crmPackage returns the entry of crmImports for a folder below crm: the entry of the
// folder itself, or else of the folder right below crm that contains it.
func crmPackage(sub string) string {
	if _, ok := crmImports[sub]; ok {
		return sub
	}
	first, _, _ := strings.Cut(sub, "/")
	return first
}

// faultOfImport describes what is wrong with one import; "" if nothing is.
func faultOfImport(from, to area) string {
	if from.kind == areaSandbox && slices.Contains(soundWires, to) {
		return ""
	}
	if !slices.Contains(mayImport[from.kind], to.kind) {
		return from.String() + " may not import " + to.String()
	}
	if from.kind != areaModule || to.kind != areaModule {
		return ""
	}
	if to == exchangeInterface && from.name == "crm" && crmPackage(from.sub) == "telephony" {
		return ""
	}
	if from.name != to.name {
		return "module " + from.name + " may not import module " + to.name +
			": declare a small interface and let internal/app wire it, or speak by events"
	}
	user, used := crmPackage(from.sub), crmPackage(to.sub)
	if from.name != "crm" || user == used {
		return ""
	}
	allowed, known := crmImports[user]
	if !known {
		return "crm's package " + user + " has no place in crmImports yet"
	}
	if !slices.Contains(allowed, used) {
		return "crm/" + user + " may not import crm/" + used + ": see crmImports"
	}
	return ""
}
