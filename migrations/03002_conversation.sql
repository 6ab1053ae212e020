-- +goose Up
CREATE TABLE crm_group (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL,
    name        text NOT NULL,
    name_key    text NOT NULL,
    description text NOT NULL,
    created_at  bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, name_key)
);
CREATE INDEX crm_group_list ON crm_group (tenant_id, created_at, id);

CREATE TABLE crm_group_member (
    tenant_id uuid NOT NULL,
    group_id  uuid NOT NULL,
    agent_id  uuid NOT NULL,
    PRIMARY KEY (tenant_id, group_id, agent_id),
    FOREIGN KEY (tenant_id, group_id) REFERENCES crm_group (tenant_id, id)
);

CREATE TABLE conversation_settings (
    tenant_id   uuid PRIMARY KEY,
    reopen      boolean NOT NULL,
    reopen_days bigint,
    csat        boolean NOT NULL DEFAULT false
);

CREATE TABLE conversation (
    tenant_id                uuid NOT NULL,
    id                       uuid NOT NULL,
    state                    text NOT NULL,
    ai_state                 text NOT NULL,
    handover_reason          text,
    channel                  text NOT NULL,
    channel_account_id       uuid,
    single_thread            boolean NOT NULL,
    reply_route              text,
    talep                    boolean NOT NULL,
    contact_id               uuid NOT NULL,
    contact_name             text NOT NULL,
    subject                  text NOT NULL,
    preview                  text NOT NULL,
    preview_author_kind      text,
    preview_author_id        uuid,
    priority                 bigint NOT NULL,
    owner_id                 uuid,
    group_id                 uuid,
    tags                     text NOT NULL,
    waiting_since            bigint,
    first_reply_at           bigint,
    snoozed_until            bigint,
    snoozed_until_reply      boolean NOT NULL DEFAULT false,
    closed_at                bigint,
    merged_into_id           uuid,
    previous_conversation_id uuid,
    deleted_at               bigint,
    test                     boolean NOT NULL,
    last_activity_at         bigint NOT NULL,
    last_item_at             bigint NOT NULL,
    created_at               bigint NOT NULL,
    updated_at               bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, group_id) REFERENCES crm_group (tenant_id, id)
);
-- One conversation of a contact on a messaging account.
CREATE UNIQUE INDEX conversation_single ON conversation (tenant_id, channel_account_id, contact_id)
    WHERE single_thread AND merged_into_id IS NULL AND deleted_at IS NULL;
-- The lists. Every index with last_activity_at in it is written with every
-- message, so there are few: those that a filter needs to page in order. A list
-- of one owner, group or channel in any state merges the three states.
CREATE INDEX conversation_activity ON conversation (tenant_id, last_activity_at, id) WHERE deleted_at IS NULL;
CREATE INDEX conversation_state ON conversation (tenant_id, state, last_activity_at, id) WHERE deleted_at IS NULL;
CREATE INDEX conversation_owner ON conversation (tenant_id, owner_id, state, last_activity_at, id) WHERE deleted_at IS NULL;
CREATE INDEX conversation_group ON conversation (tenant_id, group_id, state, last_activity_at, id) WHERE deleted_at IS NULL AND group_id IS NOT NULL;
CREATE INDEX conversation_channel ON conversation (tenant_id, channel, state, last_activity_at, id) WHERE deleted_at IS NULL;
-- A contact has few conversations; they are sorted when asked for.
CREATE INDEX conversation_contact ON conversation (tenant_id, contact_id);
CREATE INDEX conversation_ai ON conversation (tenant_id, ai_state, last_activity_at, id) WHERE deleted_at IS NULL AND ai_state <> 'off';
CREATE INDEX conversation_talep ON conversation (tenant_id, last_activity_at, id) WHERE deleted_at IS NULL AND talep;
CREATE INDEX conversation_created ON conversation (tenant_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX conversation_waiting ON conversation (tenant_id, waiting_since, id) WHERE deleted_at IS NULL AND waiting_since IS NOT NULL;
CREATE INDEX conversation_priority ON conversation (tenant_id, priority, id) WHERE deleted_at IS NULL;
CREATE INDEX conversation_snoozed ON conversation (tenant_id, snoozed_until, id) WHERE deleted_at IS NULL AND snoozed_until IS NOT NULL;
-- What keys of the test environment see, in each order. Live conversations are
-- in none of them, so they cost those nothing.
CREATE INDEX conversation_test_activity ON conversation (tenant_id, last_activity_at, id) WHERE deleted_at IS NULL AND test;
CREATE INDEX conversation_test_created ON conversation (tenant_id, created_at, id) WHERE deleted_at IS NULL AND test;
CREATE INDEX conversation_test_waiting ON conversation (tenant_id, waiting_since, id) WHERE deleted_at IS NULL AND test AND waiting_since IS NOT NULL;
CREATE INDEX conversation_test_priority ON conversation (tenant_id, priority, id) WHERE deleted_at IS NULL AND test;
CREATE INDEX conversation_test_snoozed ON conversation (tenant_id, snoozed_until, id) WHERE deleted_at IS NULL AND test AND snoozed_until IS NOT NULL;
-- The waker's: whose time has come, of any tenant.
CREATE INDEX conversation_wake ON conversation (snoozed_until, id) WHERE state = 'snoozed' AND snoozed_until IS NOT NULL;

-- at is the place in the timeline: a time that never stands still, so that no
-- two items of a conversation share it.
CREATE TABLE conversation_item (
    tenant_id           uuid NOT NULL,
    id                  uuid NOT NULL,
    conversation_id     uuid NOT NULL,
    at                  bigint NOT NULL,
    kind                text NOT NULL,
    author_kind         text NOT NULL,
    author_id           uuid,
    body                text NOT NULL,
    event               text,
    detail              text NOT NULL,
    channel             text,
    channel_account_id  uuid,
    provider_message_id text,
    delivery            text,
    delivery_error      text,
    sent_at             bigint,
    delivered_at        bigint,
    read_at             bigint,
    merged_from         uuid,
    edited_at           bigint,
    deleted_at          bigint,
    automatic           boolean NOT NULL DEFAULT false,
    test                boolean NOT NULL,
    template            text NOT NULL DEFAULT 'null',
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversation (tenant_id, id)
);
CREATE INDEX conversation_item_list ON conversation_item (tenant_id, conversation_id, at, id);
CREATE UNIQUE INDEX conversation_item_inbound ON conversation_item (tenant_id, channel_account_id, provider_message_id, test)
    WHERE provider_message_id IS NOT NULL;

-- What taking the merge of a conversation back needs.
CREATE TABLE conversation_merge (
    tenant_id       uuid NOT NULL,
    conversation_id uuid NOT NULL,
    undo            text NOT NULL,
    merged_at       bigint NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversation (tenant_id, id)
);

-- The tag's copy of last_activity_at lets a tag's list page like any other.
CREATE TABLE conversation_tag (
    tenant_id        uuid NOT NULL,
    conversation_id  uuid NOT NULL,
    tag              text NOT NULL,
    last_activity_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id, tag),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversation (tenant_id, id)
);
CREATE INDEX conversation_tag_list ON conversation_tag (tenant_id, tag, last_activity_at, conversation_id);

-- The words of subjects.
CREATE TABLE conversation_term (
    tenant_id       uuid NOT NULL,
    term            text NOT NULL,
    conversation_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, term, conversation_id),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversation (tenant_id, id)
);
CREATE INDEX conversation_term_of ON conversation_term (tenant_id, conversation_id);

-- Contacts beside the customer.
CREATE TABLE conversation_participant (
    tenant_id       uuid NOT NULL,
    conversation_id uuid NOT NULL,
    contact_id      uuid NOT NULL,
    added_at        bigint NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id, contact_id),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversation (tenant_id, id)
);
CREATE INDEX conversation_participant_of ON conversation_participant (tenant_id, contact_id);

-- Agents who joined; the owner is always one of them.
CREATE TABLE conversation_agent (
    tenant_id       uuid NOT NULL,
    conversation_id uuid NOT NULL,
    agent_id        uuid NOT NULL,
    joined_at       bigint NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id, agent_id),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversation (tenant_id, id)
);
CREATE INDEX conversation_agent_of ON conversation_agent (tenant_id, agent_id);

CREATE TABLE conversation_unread (
    tenant_id       uuid NOT NULL,
    agent_id        uuid NOT NULL,
    conversation_id uuid NOT NULL,
    n               bigint NOT NULL,
    PRIMARY KEY (tenant_id, agent_id, conversation_id),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversation (tenant_id, id)
);
CREATE INDEX conversation_unread_of ON conversation_unread (tenant_id, conversation_id);

-- Kept, not counted: an agent's unread conversations.
CREATE TABLE conversation_badge (
    tenant_id uuid NOT NULL,
    agent_id  uuid NOT NULL,
    unread    bigint NOT NULL,
    PRIMARY KEY (tenant_id, agent_id)
);

-- Kept, not counted: how many conversations there are of each kind, and whether
-- their customers wait for an answer. A kind is
-- spread over shards, so that writers do not wait for each other. The nil
-- UUID stands for nobody and no group.
CREATE TABLE conversation_count (
    tenant_id uuid NOT NULL,
    state     text NOT NULL,
    waiting   boolean NOT NULL,
    owner_id  uuid NOT NULL,
    group_id  uuid NOT NULL,
    channel   text NOT NULL,
    test      boolean NOT NULL,
    shard     bigint NOT NULL,
    n         bigint NOT NULL,
    PRIMARY KEY (tenant_id, state, waiting, owner_id, group_id, channel, test, shard)
);
