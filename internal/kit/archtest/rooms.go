package archtest

import (
	"path"
	"slices"
	"strings"
)

// A room is a part of the house. Which one a package belongs to follows from
// its folder alone.
type room struct {
	kind string // one of the constants below
	name string // of a module, or of the folder below provider and sandbox
	sub  string // below a module: the room of crm, or a package of another module
}

const (
	roomRoot     = "root"     // migrations and web: files embedded into the binary
	roomCmd      = "cmd"      // the program
	roomApp      = "app"      // wiring
	roomKit      = "kit"      // what every module stands on
	roomModule   = "module"   // identity, webhook, mail, advisor, crm
	roomProvider = "provider" // clients of outside services
	roomSandbox  = "sandbox"  // their stand-ins
	roomTools    = "tools"    // programs for developers
)

// roomOf places a folder, given from the repository's root.
func roomOf(dir string) room {
	parts := strings.Split(dir, "/")
	if parts[0] == "cmd" {
		return room{kind: roomCmd}
	}
	if parts[0] != "internal" || len(parts) < 2 {
		return room{kind: roomRoot, name: parts[0]}
	}
	name, sub := parts[1], ""
	if len(parts) > 2 {
		sub = parts[2]
	}
	if name == "crm" {
		sub = strings.Join(parts[2:], "/")
	}
	switch name {
	case roomApp, roomKit, roomTools:
		return room{kind: name}
	case roomProvider, roomSandbox:
		return room{kind: name, name: sub}
	}
	return room{kind: roomModule, name: name, sub: sub}
}

// ours returns the room of an imported package, if it is in this repository.
func ours(importPath string) (room, bool) {
	dir, ok := strings.CutPrefix(importPath, module+"/")
	return roomOf(dir), ok
}

func (r room) String() string {
	return strings.TrimPrefix(path.Join(r.kind, r.name, r.sub), roomModule+"/")
}

// mayImport says what the code of each kind of room may stand on. Modules are
// further bound by crmImports and by the rule about several modules.
var mayImport = map[string][]string{
	roomRoot:     {},
	roomKit:      {roomKit, roomRoot},
	roomModule:   {roomKit, roomModule, roomRoot},
	roomProvider: {roomKit, roomModule, roomProvider},
	roomSandbox:  {roomKit, roomProvider, roomSandbox},
	roomApp:      {roomKit, roomModule, roomProvider, roomSandbox, roomApp, roomRoot},
	roomCmd:      {roomKit, roomModule, roomProvider, roomSandbox, roomApp, roomRoot, roomCmd},
	roomTools:    {roomKit, roomModule, roomProvider, roomSandbox, roomApp, roomRoot, roomTools},
}

// crmImports is the one way through crm's rooms. A room that is not listed has
// not found its place yet, and the check says so.
var crmImports = map[string][]string{
	"agent":    {},
	"contact":  {},
	"template": {},

	// Stores below the gate.
	"conversation/file":  {},
	"conversation/later": {"conversation/file"},
	"conversation/draft": {"conversation/file"},
	"conversation/group": {},
	// The gate: nothing else changes a conversation.
	"conversation": {"conversation/file", "conversation/later", "conversation/draft", "conversation/group", "contact", "agent", "template"},
	// What stands on it.
	"conversation/whole":    {"conversation", "conversation/later", "conversation/draft", "contact"},
	"conversation/inbound":  {"conversation", "conversation/file", "conversation/group", "contact"},
	"conversation/airecord": {"conversation", "contact"},
	"conversation/edit":     {"conversation"},
	"conversation/export":   {"conversation", "conversation/file", "contact"},
	"conversation/card":     {"conversation", "contact"},
	"reply": {
		"conversation", "conversation/edit", "conversation/inbound", "conversation/file", "conversation/later", "conversation/draft", "contact", "template",
	},
	"inboxapi": {
		"conversation", "conversation/whole", "conversation/airecord", "conversation/edit", "conversation/export", "conversation/card", "conversation/file",
		"conversation/later", "conversation/draft", "conversation/group", "reply", "contact", "template",
	},
	"channel": {"conversation", "conversation/inbound", "conversation/file", "conversation/group", "reply", "contact", "agent", "template"},
	"email":   {"channel", "conversation", "conversation/inbound", "conversation/file", "reply", "contact", "agent", "template"},

	"desk":      {"conversation", "conversation/group", "reply", "contact"},
	"assistant": {"conversation", "conversation/airecord", "reply", "contact", "agent", "template"},
	"telephony": {"conversation", "conversation/inbound", "conversation/file", "contact", "agent", "template"},
	"live":      {"conversation", "agent"},
	"finder":    {"conversation", "contact"},
}

// crmPackage finds the entry of crmImports that a folder below crm belongs to:
// its own, or else that of the folder right below crm.
func crmPackage(sub string) string {
	if _, ok := crmImports[sub]; ok {
		return sub
	}
	first, _, _ := strings.Cut(sub, "/")
	return first
}

// faultOfImport says what is wrong with one import, or nothing.
func faultOfImport(from, to room) string {
	if !slices.Contains(mayImport[from.kind], to.kind) {
		return from.String() + " may not import " + to.String()
	}
	if from.kind != roomModule || to.kind != roomModule {
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
