-- +goose Up
-- A workspace that gave its default number back had none from then on, although it had
-- other active numbers: the oldest of them becomes the default.
UPDATE phone_number SET is_default = true
WHERE status = 'active'
  AND NOT EXISTS (SELECT 1 FROM phone_number d WHERE d.tenant_id = phone_number.tenant_id AND d.is_default)
  AND NOT EXISTS (
    SELECT 1 FROM phone_number o
    WHERE o.tenant_id = phone_number.tenant_id AND o.status = 'active' AND (o.created_at, o.id) < (phone_number.created_at, phone_number.id)
  );
