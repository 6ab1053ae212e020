-- +goose Up
CREATE TABLE dlp_exception (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL,
    email      text NOT NULL,
    email_key  text NOT NULL,
    note       text NOT NULL,
    created_by uuid,
    created_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, email_key)
);
