-- +goose Up
-- scope_id is the agent whose own it is, the nil UUID for what is shared.
CREATE TABLE crm_canned_reply (
    tenant_id    uuid NOT NULL,
    id           uuid NOT NULL,
    scope_id     uuid NOT NULL,
    shortcut     text NOT NULL,
    shortcut_key text NOT NULL,
    title        text NOT NULL,
    body         text NOT NULL,
    assistant    boolean NOT NULL DEFAULT false,
    created_at   bigint NOT NULL,
    updated_at   bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, scope_id, shortcut_key)
);
CREATE INDEX crm_canned_reply_assistant ON crm_canned_reply (tenant_id, updated_at) WHERE assistant;
CREATE INDEX crm_canned_reply_list ON crm_canned_reply (tenant_id, scope_id, created_at, id);

-- The folded words under which a canned reply is found.
CREATE TABLE crm_canned_term (
    tenant_id uuid NOT NULL,
    term      text NOT NULL,
    reply_id  uuid NOT NULL,
    PRIMARY KEY (tenant_id, term, reply_id),
    FOREIGN KEY (tenant_id, reply_id) REFERENCES crm_canned_reply (tenant_id, id)
);
CREATE INDEX crm_canned_term_of ON crm_canned_term (tenant_id, reply_id);

CREATE TABLE crm_view (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL,
    scope_id   uuid NOT NULL,
    name       text NOT NULL,
    name_key   text NOT NULL,
    filter     text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, scope_id, name_key)
);
CREATE INDEX crm_view_list ON crm_view (tenant_id, scope_id, created_at, id);
