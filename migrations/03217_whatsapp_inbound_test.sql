-- +goose Up
-- Tests of WhatsApp's numbers stand with those of every other account. The columns of
-- whatsapp_number are no longer read.
INSERT INTO channel_inbound_test (tenant_id, account_id, code, started_at, verified_at)
SELECT tenant_id, account_id, test_code, test_started_at, test_verified_at FROM whatsapp_number
WHERE test_started_at IS NOT NULL OR test_verified_at IS NOT NULL
ON CONFLICT (tenant_id, account_id) DO NOTHING;
