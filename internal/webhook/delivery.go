package webhook

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"konak/internal/kit/clock"
	"konak/internal/kit/outbound"
)

// Delivery statuses.
const (
	// Pending waits for its first attempt, or for one that a person asked for.
	Pending = "pending"
	// Failed waits for its next attempt.
	Failed = "failed"
	// Exhausted has used up its attempts.
	Exhausted = "exhausted"
	// Delivered was answered with a 2xx.
	Delivered = "delivered"
)

// Delivery is one event on its way to one endpoint.
type Delivery struct {
	ID             uuid.UUID   `json:"id" format:"uuid"`
	EndpointID     uuid.UUID   `json:"endpoint_id" format:"uuid"`
	EventID        string      `json:"event_id" example:"evt_0193c5a0-7b1e-7c3a-9f00-3f1f6f0a2b4c"`
	EventType      string      `json:"event_type" example:"conversation.created"`
	Status         string      `json:"status" enum:"pending,failed,exhausted,delivered"`
	Attempts       int         `json:"attempts" example:"1" doc:"Requests made, including probes of a disabled endpoint"`
	LastStatusCode *int        `json:"last_status_code" nullable:"true" example:"200"`
	LastErrorClass *string     `json:"last_error_class" nullable:"true" enum:"dns,connect,tls,timeout,refused_address,status,body" example:"status"`
	LastError      *string     `json:"last_error" nullable:"true" example:"the receiver answered 503"`
	LastAttemptAt  *clock.Time `json:"last_attempt_at" nullable:"true"`
	NextAttemptAt  *clock.Time `json:"next_attempt_at" nullable:"true" doc:"Null if no further attempt is planned, or while only a person can re-enable the endpoint"`
	CreatedAt      clock.Time  `json:"created_at"`
	DeliveredAt    *clock.Time `json:"delivered_at" nullable:"true"`
}

// Attempt is one request and its result.
type Attempt struct {
	Number     int        `json:"number" example:"1"`
	At         clock.Time `json:"at"`
	DurationMS float64    `json:"duration_ms" example:"38.4"`
	StatusCode *int       `json:"status_code" nullable:"true" example:"503"`
	ErrorClass *string    `json:"error_class" nullable:"true" enum:"dns,connect,tls,timeout,refused_address,status,body" example:"status"`
	Error      *string    `json:"error" nullable:"true" example:"the receiver answered 503"`
	Answer     string     `json:"answer" example:"try later" doc:"First 16 KiB of the receiver's response"`
}

// Detail is a delivery with the request that was sent and every attempt.
type Detail struct {
	Delivery
	Address     string            `json:"address" example:"https://example.com/hooks/konak"`
	Headers     map[string]string `json:"headers" doc:"Headers sent with the body, without the signatures"`
	Body        json.RawMessage   `json:"body" doc:"The body as sent; null if it is hidden or no longer stored"`
	BodyHidden  bool              `json:"body_hidden" doc:"The caller does not have the event's permission, so the body and responses are omitted"`
	AttemptList []Attempt         `json:"attempt_list" nullable:"false" doc:"Oldest first"`
}

// retryWaits are the waits after each failed attempt; after the last one the
// delivery is exhausted.
var retryWaits = []time.Duration{
	5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
	5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

const (
	jitter          = 0.2
	maxRetryAfter   = 24 * time.Hour
	maxEndpointHold = time.Hour // how long one Retry-After may hold back a whole endpoint
	keepFor         = 30 * 24 * time.Hour
	bodyTooOld      = "the event is older than what is kept"
)

// retryIn returns the wait after the given attempt, and false if it was the last. Random
// spreads the waits; it lies in [0, 1).
func retryIn(attempt int, asked time.Duration, random float64) (wait time.Duration, more bool) {
	if attempt > len(retryWaits) {
		return 0, false
	}
	wait = time.Duration(float64(retryWaits[attempt-1]) * (1 - jitter + 2*jitter*random))
	return max(wait, min(asked, maxRetryAfter)), true
}

// deliveryID is the only id that an event's delivery to an endpoint can have. It begins
// with the event's time, so that deliveries are stored and deleted in order of time;
// without the key nobody can guess the rest.
func (s *Service) deliveryID(event, endpoint uuid.UUID) uuid.UUID {
	m := hmac.New(sha256.New, s.idKey)
	m.Write(event[:])
	m.Write(endpoint[:])
	var id uuid.UUID
	copy(id[:], m.Sum(nil))
	copy(id[:6], event[:6])
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return id
}

// job is a delivery that is due, with the content to send.
type job struct {
	id, event uuid.UUID
	eventType string
	trace     string // of the event
	status    string
	attempts  int // before this one
	base      int // of them before the delivery was last queued by a person
	nextAt    clock.Time
	createdAt clock.Time
	body      []byte
}

// compare orders jobs as in the queue of a lane.
func (j job) compare(k job) int {
	return cmp.Or(j.nextAt.Compare(k.nextAt.Time), bytes.Compare(j.event[:], k.event[:]))
}

// result is the result of a job.
type result struct {
	job
	lane   *lane
	probe  bool
	at     time.Time
	epoch  int // of the lane when it began
	answer outbound.Answer
}

func (r *result) ok() bool { return r.answer.Class == "" }

func (r *result) code() *int {
	if r.answer.Status == 0 {
		return nil
	}
	return &r.answer.Status
}

func (r *result) trouble() (class, text *string) {
	if r.ok() {
		return nil, nil
	}
	t := r.answer.Err.Error()
	return &r.answer.Class, &t
}
