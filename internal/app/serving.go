package app

import (
	"context"
	"fmt"
	"os"

	"konak/internal/kit/jobs"
	"konak/internal/kit/node"
)

// announce records that this node serves, and returns a function that undoes it. Nodes that
// would not see each other's files are refused.
func (a *App) announce(ctx context.Context) (leave func(), err error) {
	store, err := node.FileStore(a.cfg.S3URL, a.cfg.FilesFolder())
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	a.serving = a.clock.NewID()
	if err := node.Announce(ctx, a.DB, node.Serving{ID: a.serving, Host: host, Version: Version, FileStore: store}); err != nil {
		return nil, err
	}
	return func() {
		if err := node.Leave(context.WithoutCancel(ctx), a.DB, a.serving); err != nil {
			a.log.Warn("this node remains listed as serving for 30 seconds", "error", err)
		}
	}, nil
}

// keepAnnounced records repeatedly that this node serves.
func (a *App) keepAnnounced(ctx context.Context) {
	jobs.Loop{
		Name: "serving node", DB: a.DB, Log: a.log, Every: node.RefreshEvery,
		Step: func(ctx context.Context) (int, error) { return 0, node.Refresh(ctx, a.DB, a.serving) },
	}.Run(ctx)
}

// checkStopped returns an error if a server runs on the database.
func (a *App) checkStopped(ctx context.Context) error {
	nodes, err := node.List(ctx, a.DB)
	if err != nil || len(nodes) == 0 {
		return err
	}
	return fmt.Errorf("a server runs on %s; stop all servers first (a killed server counts as running for 30 seconds)", nodes[0].Host)
}
