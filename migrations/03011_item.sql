-- +goose Up
-- What an item said before it was edited.
CREATE TABLE item_edit (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL,
    item_id     uuid NOT NULL,
    body        text NOT NULL,
    editor_kind text NOT NULL,
    editor_id   uuid,
    edited_at   bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, item_id) REFERENCES conversation_item (tenant_id, id)
);
CREATE INDEX item_edit_of ON item_edit (tenant_id, item_id, id);

-- The e-mail that an item came in or went out as.
CREATE TABLE item_email (
    tenant_id   uuid NOT NULL,
    item_id     uuid NOT NULL,
    message_id  text NOT NULL,
    sender      text NOT NULL,
    recipients  text NOT NULL,
    copies      text NOT NULL,
    reply_to    text NOT NULL,
    subject     text NOT NULL,
    sent_at     bigint,
    headers     text NOT NULL,
    body        text NOT NULL,
    html        text NOT NULL,
    raw_blob_id uuid,
    raw_size    bigint NOT NULL,
    PRIMARY KEY (tenant_id, item_id),
    FOREIGN KEY (tenant_id, item_id) REFERENCES conversation_item (tenant_id, id)
);
CREATE INDEX item_email_message ON item_email (tenant_id, message_id);

-- One reaction of each author to an item.
CREATE TABLE item_reaction (
    tenant_id   uuid NOT NULL,
    item_id     uuid NOT NULL,
    author_kind text NOT NULL,
    author_id   uuid NOT NULL,
    emoji       text NOT NULL,
    at          bigint NOT NULL,
    PRIMARY KEY (tenant_id, item_id, author_kind, author_id),
    FOREIGN KEY (tenant_id, item_id) REFERENCES conversation_item (tenant_id, id)
);

-- Votes on the assistant's answers; an agent's stands beside the customer's.
CREATE TABLE item_feedback (
    tenant_id   uuid NOT NULL,
    item_id     uuid NOT NULL,
    author_kind text NOT NULL,
    author_id   uuid NOT NULL,
    rating      text NOT NULL,
    comment     text NOT NULL,
    at          bigint NOT NULL,
    PRIMARY KEY (tenant_id, item_id, author_kind, author_id),
    FOREIGN KEY (tenant_id, item_id) REFERENCES conversation_item (tenant_id, id)
);

-- What the assistant's answer relied on.
CREATE TABLE item_source (
    tenant_id uuid NOT NULL,
    item_id   uuid NOT NULL,
    position  bigint NOT NULL,
    kind      text NOT NULL,
    title     text NOT NULL,
    url       text NOT NULL,
    excerpt   text NOT NULL,
    PRIMARY KEY (tenant_id, item_id, position),
    FOREIGN KEY (tenant_id, item_id) REFERENCES conversation_item (tenant_id, id)
);

-- Whom a note calls, with the name that stands in its text. Seen: they have read
-- the conversation since.
CREATE TABLE item_mention (
    tenant_id uuid NOT NULL,
    item_id   uuid NOT NULL,
    agent_id  uuid NOT NULL,
    name      text NOT NULL,
    at        bigint NOT NULL,
    seen      boolean NOT NULL,
    PRIMARY KEY (tenant_id, item_id, agent_id),
    FOREIGN KEY (tenant_id, item_id) REFERENCES conversation_item (tenant_id, id)
);
CREATE INDEX item_mention_of ON item_mention (tenant_id, agent_id, at, item_id);
CREATE INDEX item_mention_unseen ON item_mention (tenant_id, agent_id, at, item_id) WHERE NOT seen;

-- Who gets a copy of e-mail answers, and whom the last mail proposed for it
-- without anybody having agreed.
CREATE TABLE conversation_cc (
    tenant_id       uuid NOT NULL,
    conversation_id uuid NOT NULL,
    copies          text NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversation (tenant_id, id)
);
