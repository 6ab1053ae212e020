package main

import (
	"fmt"
	"slices"

	"github.com/alecthomas/kong"

	"konak/internal/kit/each"
)

// shownSettings are the settings that the help of a command shows, by the command's name.
// Other commands show those that select the installation. The help of `konak config` lists
// all.
var shownSettings = map[string][]string{
	"serve":  {"listen", "data", "db", "domain", "public-url", "smtp-url", "sign-up", "demo"},
	"health": {"listen"},
	"move":   {"data", "s3-url"},
	"rotate": {"data", "db", "master-key"},
	"":       {"data", "db"},
}

// listSettings is the command whose help has every setting.
const listSettings = "config"

// printHelp prints the help of a command: its own flags first, then the settings that
// matter to it, so that it fits on a screen.
func printHelp(o kong.HelpOptions, ctx *kong.Context) error {
	node := ctx.Selected()
	if node == nil || node.Name == listSettings {
		return kong.DefaultHelpPrinter(o, ctx)
	}
	settings := namesOf(flagsOf(child(ctx.Model.Node, listSettings)))
	shown, special := shownSettings[node.Name]
	if !special {
		shown = shownSettings[""]
	}
	own, global, of, arguments := node.Flags, ctx.Model.Flags, []*kong.Flag{}, node.Positional
	defer func() { node.Flags, ctx.Model.Flags, node.Positional = own, global, arguments }()
	node.Flags, ctx.Model.Flags = nil, nil
	flags := own
	if usual := node.DefaultCmd; usual != nil { // can be given without its name
		flags, node.Positional = slices.Concat(usual.Flags, own), usual.Positional
	}
	for _, f := range flags {
		switch {
		case !slices.Contains(settings, f.Name):
			node.Flags = append(node.Flags, f)
		case slices.Contains(shown, f.Name):
			of = append(of, f)
		}
	}
	more := len(of) > 0
	node.Flags = slices.Concat(node.Flags, of, global)
	if err := kong.DefaultHelpPrinter(o, ctx); err != nil || !more {
		return err
	}
	_, err := fmt.Fprintf(ctx.Stdout, "\nOther settings can be given too, best in the file of --config: see konak %s --help\n", listSettings)
	return err
}

// child returns a subcommand of a node.
func child(n *kong.Node, name string) *kong.Node {
	return n.Children[slices.IndexFunc(n.Children, func(c *kong.Node) bool { return c.Name == name })]
}

func namesOf(flags []*kong.Flag) []string {
	return each.Map(flags, func(f *kong.Flag) string { return f.Name })
}
