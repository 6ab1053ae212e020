// Package api is the API core: every route of the product goes through it.
//
// A module declares a Route (method, path, who may call it, permission,
// licence, summary) and a typed handler; the kit does the rest: host and
// tenant, credential, permission, validation with field errors, the envelope
// {data, trace_id}, the one error shape in Turkish or English, cursors,
// Idempotency-Key, body limits, time-outs, metrics and the OpenAPI document.
//
// The order is fixed: 401 before 403, 403 before the input is checked, so that
// a refusal reveals nothing about a record. Another tenant's record gets the
// same 404 as an id that does not exist, and so does an id that is not a UUID.
package api
