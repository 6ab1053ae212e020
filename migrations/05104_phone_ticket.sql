-- +goose Up
-- A ticket that opens the socket of telephony once, soon after it was made. The ticket
-- itself is nowhere here.
CREATE TABLE phone_ticket (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL,
    agent_id   uuid NOT NULL,
    session_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    expires_at bigint NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX phone_ticket_hash ON phone_ticket (token_hash);
CREATE INDEX phone_ticket_expiry ON phone_ticket (tenant_id, expires_at);
