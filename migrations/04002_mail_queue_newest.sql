-- +goose Up
-- The ids of reports and of mails that are sent on are not in the order of time.
CREATE INDEX mail_queue_newest ON mail_queue (tenant_id, created_at, id);
CREATE INDEX mail_queue_state ON mail_queue (tenant_id, state, created_at, id);
