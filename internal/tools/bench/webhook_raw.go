package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"konak/internal/kit/db"
)

// rawPosts measures the limit of the wire: signed posts on kept connections.
func rawPosts(ctx context.Context, e *env, n int) error {
	r := &hookReceiver{}
	addr, err := serve(e, r)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 10}}
	body := []byte(emission(0))
	r.expect(int64(n))
	began, begin := cpuTime(), time.Now()
	var next atomic.Int64
	errs := make([]error, 10)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for errs[i] == nil && next.Add(1) <= int64(n) {
				m := hmac.New(sha256.New, []byte("whsec_secret"))
				m.Write(body)
				errs[i] = signedPost(ctx, client, "http://"+addr+"/", hex.EncodeToString(m.Sum(nil)), body)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	took := time.Since(begin)
	fmt.Printf("  raw      POST and HMAC on 10 kept connections: %6.0f/s, %.3f ms CPU each\n",
		float64(n)/took.Seconds(), ms(cpuTime()-began)/float64(n))
	return nil
}

func signedPost(ctx context.Context, c *http.Client, url, sig string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("X-Service-Signature", sig)
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return errors.Join(err, resp.Body.Close())
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
