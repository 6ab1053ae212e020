-- +goose Up
-- A message template of a channel account. components is what the provider
-- shows, edits the times of the edits that still count against its limits.
CREATE TABLE message_template (
    tenant_id        uuid NOT NULL,
    id               uuid NOT NULL,
    account_id       uuid NOT NULL,
    provider_id      text,
    name             text NOT NULL,
    language         text NOT NULL,
    category         text NOT NULL,
    status           text NOT NULL,
    reason           text,
    detail           text,
    quality          text NOT NULL,
    parameter_format text NOT NULL,
    components       text NOT NULL,
    edits            text NOT NULL,
    created_by       uuid,
    created_at       bigint NOT NULL,
    updated_at       bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX message_template_list ON message_template (tenant_id, created_at, id);
CREATE UNIQUE INDEX message_template_name ON message_template (tenant_id, account_id, name, language);

-- Names that were deleted and cannot be used again yet.
CREATE TABLE template_barred (
    tenant_id  uuid NOT NULL,
    account_id uuid NOT NULL,
    name       text NOT NULL,
    until      bigint NOT NULL,
    PRIMARY KEY (tenant_id, account_id, name)
);
