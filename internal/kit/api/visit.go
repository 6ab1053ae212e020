package api

import (
	"context"
	"net/http"

	"konak/internal/kit/fault"
	"konak/internal/kit/obs"
)

type visitOutput[Out any] struct {
	Status   int
	Location string `header:"Location"`
	Body     Envelope[Out]
}

// HandleVisit registers a route to which people return from another site with their
// browser, and which programs call too. A browser is redirected to the page for h's error
// (nil on success); a program gets {data, trace_id}, or the error. A not_found is answered
// as such to both.
func HandleVisit[In, Out any](a *API, rt Route, h func(context.Context, *In) (Out, error), page func(error) string) {
	rt = rt.withDefaults()
	rt.visit = true
	register(a, rt, func(ctx context.Context, in *In) (*visitOutput[Out], error) {
		out, err := h(ctx, in)
		answer := &visitOutput[Out]{Status: rt.Status, Body: Envelope[Out]{out, obs.TraceID(ctx)}}
		if requestOf(ctx).browser && !fault.Is(err, fault.NotFound) {
			answer.Status, answer.Location = http.StatusSeeOther, page(err)
			return answer, nil
		}
		if err != nil {
			return nil, err
		}
		return answer, nil
	})
}
