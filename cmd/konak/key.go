package main

import (
	"context"
	"fmt"
	"io"

	"konak/internal/app"
	"konak/internal/kit/clock"
)

type keyCmd struct {
	Rotate keyRotateCmd `cmd:"" help:"Create a new master key and re-encrypt all secrets. Stop all servers first."`
}

type keyRotateCmd struct {
	app.Config
	NewKeyFile string `placeholder:"FILE" help:"New file for the new key, if --master-key holds the old one."`
	printing
}

// Run creates a new master key, or continues where an earlier run stopped.
func (k *keyRotateCmd) Run(ctx context.Context, out io.Writer) error {
	r, err := asOwner(&k.Config, func() (app.Rotation, error) {
		return app.RotateKey(ctx, k.Config, logger(k.Config), clock.System{}, k.NewKeyFile)
	})
	if err != nil && r.Begun {
		return fmt.Errorf("%w (the rotation has started: run the command again to finish it)", err)
	}
	if err != nil {
		return fmt.Errorf("%w (the master key has not changed)", err)
	}
	old := "Set it as --master-key on all nodes before they start."
	if r.OldKeyFile != "" {
		old = "The old one is in " + r.OldKeyFile + ": existing backups need it. Move it to where you keep such keys."
	}
	return k.result(out, r, "%d secrets were re-encrypted. The new master key is in %s: keep a copy.\n%s\n", r.Sealed, r.KeyFile, old)
}
