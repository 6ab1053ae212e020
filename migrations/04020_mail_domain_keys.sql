-- +goose Up
-- New DKIM keys wait here until their record is seen. old_selector is where those of
-- before were.
ALTER TABLE mail_domain ADD COLUMN next_selector text NOT NULL DEFAULT '';
ALTER TABLE mail_domain ADD COLUMN next_rsa_sealed bytea;
ALTER TABLE mail_domain ADD COLUMN next_ed25519_sealed bytea;
ALTER TABLE mail_domain ADD COLUMN next_rsa_public text NOT NULL DEFAULT '';
ALTER TABLE mail_domain ADD COLUMN next_ed25519_public text NOT NULL DEFAULT '';
ALTER TABLE mail_domain ADD COLUMN old_selector text NOT NULL DEFAULT '';
ALTER TABLE mail_domain ADD COLUMN old_until bigint;
