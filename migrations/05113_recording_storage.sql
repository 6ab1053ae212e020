-- +goose Up
-- Recordings count in the storage of their workspace: 44 bytes and 32 for every
-- millisecond.
INSERT INTO storage (tenant_id, bytes, visitor_bytes)
SELECT tenant_id, SUM(44 + recording_ms * 32), 0 FROM phone_call
WHERE recording_id IS NOT NULL AND recording_ms > 0
GROUP BY tenant_id
ON CONFLICT (tenant_id) DO UPDATE SET bytes = storage.bytes + excluded.bytes;
