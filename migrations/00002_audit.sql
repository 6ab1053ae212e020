-- +goose Up
CREATE INDEX audit_log_list ON audit_log (tenant_id, at, id);
CREATE INDEX audit_log_actor ON audit_log (tenant_id, actor_id, at, id);
CREATE INDEX audit_log_action ON audit_log (tenant_id, action, at, id);
