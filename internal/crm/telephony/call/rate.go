package call

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// slice is the number of seconds for which credit is set aside at once.
const slice = 60

// Rate is the price of calls to numbers with a prefix.
type Rate struct {
	Prefix    string `json:"prefix"` // digits without "+"; "" for every number
	PerMinute int64  `json:"per_minute"`
	Connect   int64  `json:"connect"`
	Increment int64  `json:"increment"` // seconds, a divisor of 60
}

// Cost returns the cost of this many seconds, rounded up to whole increments.
func (r Rate) Cost(seconds int64) int64 {
	if seconds <= 0 {
		return 0
	}
	return r.Connect + (r.PerMinute*r.billedSeconds(seconds)+59)/60
}

// billedSeconds returns the number of seconds to pay for, rounded up to whole increments.
func (r Rate) billedSeconds(seconds int64) int64 {
	return (seconds + r.Increment - 1) / r.Increment * r.Increment
}

// sliceCost returns the amount to set aside for the slice that begins after this many
// seconds. The slices of a call add up to its cost.
func (r Rate) sliceCost(paid int64) int64 { return r.Cost(paid+slice) - r.Cost(paid) }

// Rates are the operator's prices.
type Rates []Rate

// DefaultRates returns the prices of an installation that does not set any.
func DefaultRates() Rates {
	return Rates{
		{Prefix: "90", PerMinute: 1_000_000, Increment: 60},
		{Prefix: "905", PerMinute: 1_500_000, Increment: 60},
		{Prefix: "", PerMinute: 15_000_000, Connect: 500_000, Increment: 60},
	}
}

// ReadRates reads prices from the file given by --call-rates, or returns the built-in ones
// if path is empty.
func ReadRates(path string) (Rates, error) {
	if path == "" {
		return DefaultRates(), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--call-rates: %w", err)
	}
	defer func() { _ = f.Close() }()
	rates, err := ParseRates(f)
	if err != nil {
		return nil, fmt.Errorf("--call-rates %s: %w", path, err)
	}
	return rates, nil
}

// ParseRates reads prices from CSV: prefix, per minute, connect fee, increment in
// seconds; amounts are millionths of the currency's unit.
func ParseRates(r io.Reader) (out Rates, err error) {
	rows, err := csv.NewReader(io.LimitReader(r, 4<<20)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("call rates: %w", err)
	}
	for i, row := range rows {
		if len(row) != 4 || strings.Trim(row[0], "0123456789") != "" {
			return nil, fmt.Errorf("call rates: line %d: expected prefix, per minute, connect fee, increment", i+1)
		}
		var n [3]int64
		for k := range n {
			if n[k], err = strconv.ParseInt(strings.TrimSpace(row[k+1]), 10, 64); err != nil || n[k] < 0 {
				return nil, fmt.Errorf("call rates: line %d: %q is not an amount", i+1, row[k+1])
			}
		}
		if n[2] < 1 || slice%n[2] != 0 {
			return nil, fmt.Errorf("call rates: line %d: a minute is not a multiple of the increment of %d s", i+1, n[2])
		}
		out = append(out, Rate{Prefix: row[0], PerMinute: n[0], Connect: n[1], Increment: n[2]})
	}
	if len(out) == 0 {
		return nil, errors.New("call rates: the file contains none")
	}
	return out, nil
}

// Find returns the price of a number, by the longest prefix; nil if it may not be called.
func (r Rates) Find(e164 string) *Rate {
	digits, best := strings.TrimPrefix(e164, "+"), -1
	for i, rate := range r {
		if strings.HasPrefix(digits, rate.Prefix) && (best < 0 || len(rate.Prefix) > len(r[best].Prefix)) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	found := r[best]
	return &found
}
