package db

import (
	"errors"
	"runtime"
	"strings"
)

// ErrNested is returned by InTx and Read if they are called inside a transaction. On SQLite
// an inner transaction would wait for the outer one, which waits for it; on PostgreSQL both
// would hold a connection of the pool.
var ErrNested = errors.New("db: a transaction inside another transaction")

// runTx calls the function of a transaction. All transactions pass through
// this one call, so that insideTx finds it on the stack.
//
//go:noinline
func runTx(tx *Tx, fn func(*Tx) error) error { return fn(tx) }

// runTxCall is the address to which fn returns in runTx.
var runTxCall = func() uintptr {
	var pc [1]uintptr
	_ = runTx(nil, func(*Tx) error {
		runtime.Callers(2, pc[:])
		return nil
	})
	return pc[0]
}()

// insideTx reports whether this goroutine is running the function of a transaction. It
// checks the stack and not the context, because such functions also see the context that
// their transaction was started with. The check takes microseconds; it is skipped while no
// transaction is running.
func (d *DB) insideTx() bool {
	if d.running.Load() == 0 {
		return false
	}
	var stack [64]uintptr
	for _, pc := range stack[:runtime.Callers(3, stack[:])] {
		if pc == runTxCall {
			return true
		}
	}
	return false
}

// logStuck logs the stacks of the running transactions. It is called when one exceeds its
// time limit.
func (d *DB) logStuck() {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	var stuck []string
	for goroutine := range strings.SplitSeq(string(buf), "\n\n") {
		if strings.Contains(goroutine, "kit/db.runTx(") || strings.Contains(goroutine, "kit/db.(*writer).run(") {
			stuck = append(stuck, goroutine)
		}
	}
	d.log.Error("a transaction takes too long", "limit", d.cap.String(), "stacks", strings.Join(stuck, "\n\n"))
}
