// Package inboxapi is the HTTP API of the inbox: the routes of the panel below
// /api/crm/v1/conversations, /groups and /attachments, and those of programs
// below /api/crm/public/v1.
//
// It checks the form of a request, calls the packages of the inbox and shapes
// their answers. It holds no rules and no SQL.
package inboxapi
