-- +goose Up
-- When a caller was led to the voicemail: until then it rang.
ALTER TABLE phone_call ADD COLUMN voicemail_at bigint;
