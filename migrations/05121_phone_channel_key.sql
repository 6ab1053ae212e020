-- +goose Up
-- The key that the provider was last seen to take, while it is not known whether it took
-- the one in key_hash.
ALTER TABLE phone_channel ADD COLUMN former_key_hash bytea;
