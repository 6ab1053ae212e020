-- +goose Up
-- Ids are in the order of time, so the primary key is the index of the whole
-- list: each index less is paid back by every write.
CREATE INDEX audit_log_actor ON audit_log (tenant_id, actor_id, id);
CREATE INDEX audit_log_action ON audit_log (tenant_id, action, id);
