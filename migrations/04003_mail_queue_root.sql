-- +goose Up
-- The mail that the copies in the queue come from, so that a mailbox sends it on once; NULL
-- for a mail that is nobody's copy.
ALTER TABLE mail_queue ADD COLUMN root_id uuid;
