-- +goose Up
ALTER TABLE api_key ADD COLUMN last_used_at bigint;
ALTER TABLE api_key ADD COLUMN rotated_at bigint;
CREATE INDEX api_key_list ON api_key (tenant_id, created_at, id) WHERE revoked_at IS NULL;
CREATE INDEX api_key_author ON api_key (tenant_id, created_by) WHERE revoked_at IS NULL;
