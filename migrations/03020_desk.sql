-- +goose Up
CREATE TABLE crm_macro (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL,
    name        text NOT NULL,
    name_key    text NOT NULL,
    description text NOT NULL,
    actions     text NOT NULL,
    created_by  uuid,
    created_at  bigint NOT NULL,
    updated_at  bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, name_key)
);
CREATE INDEX crm_macro_list ON crm_macro (tenant_id, created_at, id);
