-- +goose Up
-- Which exchange carries the installation's calls, and until when it has said so. The
-- one row has the id 1.
CREATE TABLE exchange_lease (
    id     smallint PRIMARY KEY,
    holder uuid NOT NULL,
    until  bigint NOT NULL
);
