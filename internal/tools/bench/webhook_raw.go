package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"konak/internal/kit/db"
)

// rawPosts measures the limit of the wire: signed posts on kept connections.
func rawPosts(ctx context.Context, e *env, n int) error {
	r := &hookReceiver{}
	addr, err := e.serveHTTP(&http.Server{Handler: r})
	if err != nil {
		return err
	}
	const callers = 10
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: callers}}
	body := emission(0)
	r.expect(int64(n))
	began, begin := cpuTime(), time.Now()
	var next atomic.Int64
	err = atOnce(callers, func(int) (err error) {
		for err == nil && next.Add(1) <= int64(n) {
			m := hmac.New(sha256.New, []byte("whsec_secret"))
			m.Write([]byte(body))
			signature := http.Header{"X-Service-Signature": {hex.EncodeToString(m.Sum(nil))}}
			_, err = request(ctx, client, http.MethodPost, "http://"+addr+"/", signature, body)
		}
		return err
	})
	if err != nil {
		return err
	}
	took := time.Since(begin)
	fmt.Printf("  raw      POST and HMAC on 10 kept connections: %6.0f/s, %.3f ms CPU each\n",
		float64(n)/took.Seconds(), ms(cpuTime()-began)/float64(n))
	return nil
}

// rawMarks measures the limit of the queue: rows claimed and marked in batches, with
// nothing sent.
func (e *env) rawMarks(ctx context.Context, dialect db.Dialect, events int) error {
	url, err := e.database(ctx, dialect)
	if err != nil {
		return err
	}
	d, err := db.Open(ctx, db.Options{URL: url})
	if err != nil {
		return err
	}
	e.closing(d.Close)
	if err := fillQueue(ctx, d, events); err != nil {
		return err
	}
	begin := time.Now()
	for n := 0; n < events; {
		k, err := claimAndMark(ctx, d, 256)
		if err != nil {
			return err
		}
		n += k
	}
	fmt.Printf("  %-8s raw claim and mark of rows, 256 at a time: %6.0f/s\n", dialect, float64(events)/time.Since(begin).Seconds())
	return nil
}
