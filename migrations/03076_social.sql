-- +goose Up
-- Which page an account is on: of a page and its Instagram account, the last one that
-- ends also ends what the page tells us.
CREATE TABLE social_page (
    tenant_id   uuid NOT NULL,
    account_id  uuid NOT NULL,
    page_id     text NOT NULL,
    PRIMARY KEY (tenant_id, account_id),
    FOREIGN KEY (tenant_id, account_id) REFERENCES channel_account (tenant_id, id)
);
CREATE INDEX social_page_page ON social_page (page_id);
