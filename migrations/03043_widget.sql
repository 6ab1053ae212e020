-- +goose Up
-- Somebody who opened a live-chat widget. The token that their browser keeps
-- is stored as its hash.
CREATE TABLE widget_visitor (
    tenant_id       uuid NOT NULL,
    id              uuid NOT NULL,
    account_id      uuid NOT NULL,
    token_hash      bytea NOT NULL,
    name            text NOT NULL,
    email           text NOT NULL,
    phone           text NOT NULL,
    language        text NOT NULL,
    origin          text NOT NULL,
    page            text NOT NULL,
    browser         text NOT NULL,
    conversation_id uuid,
    created_at      bigint NOT NULL,
    seen_at         bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, token_hash)
);
CREATE INDEX widget_visitor_of ON widget_visitor (tenant_id, conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX widget_visitor_idle ON widget_visitor (seen_at) WHERE conversation_id IS NULL;
