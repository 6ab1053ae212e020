-- +goose Up
-- The job that holds the mail of an incident in quarantine.
ALTER TABLE dlp_incident ADD COLUMN job_id uuid;
