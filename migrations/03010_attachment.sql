-- +goose Up
-- A file of an item, or one that was uploaded and waits for its item: with a
-- scheduled message, with a draft, or alone for a day. Without a blob it is
-- pending (being fetched from its channel) or was not let in, and blocked says
-- why.
CREATE TABLE attachment (
    tenant_id     uuid NOT NULL,
    id            uuid NOT NULL,
    item_id       uuid,
    scheduled_id  uuid,
    draft_id      uuid,
    name          text NOT NULL,
    declared_type text NOT NULL,
    type          text NOT NULL,
    size          bigint NOT NULL,
    blob_id       uuid,
    blocked       text,
    pending       boolean NOT NULL DEFAULT false,
    content_id    text,
    uploader_id   uuid,
    test          boolean NOT NULL,
    created_at    bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, item_id) REFERENCES conversation_item (tenant_id, id)
);
CREATE INDEX attachment_item ON attachment (tenant_id, item_id, id) WHERE item_id IS NOT NULL;
CREATE INDEX attachment_scheduled ON attachment (tenant_id, scheduled_id, id) WHERE scheduled_id IS NOT NULL;
CREATE INDEX attachment_draft ON attachment (tenant_id, draft_id, id) WHERE draft_id IS NOT NULL;
CREATE INDEX attachment_waiting ON attachment (created_at) WHERE item_id IS NULL AND scheduled_id IS NULL AND draft_id IS NULL;
