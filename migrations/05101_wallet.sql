-- +goose Up
-- The prepaid credit of a workspace. Amounts are millionths of the currency's
-- unit. The two balances are kept here and change in the transaction of the
-- entry that says why; neither can be below zero.
CREATE TABLE wallet (
    tenant_id  uuid NOT NULL PRIMARY KEY,
    currency   text NOT NULL,
    available  bigint NOT NULL CHECK (available >= 0),
    held       bigint NOT NULL CHECK (held >= 0),
    updated_at bigint NOT NULL
);

-- Double entry: the postings of an entry sum to zero. The same thing (kind, ref)
-- is entered once.
CREATE TABLE wallet_entry (
    tenant_id uuid NOT NULL,
    id        uuid NOT NULL,
    kind      text NOT NULL,
    ref       uuid NOT NULL,
    purpose   text NOT NULL,
    at        bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, kind, ref)
);

CREATE TABLE wallet_posting (
    tenant_id uuid NOT NULL,
    entry_id  uuid NOT NULL,
    account   text NOT NULL,
    amount    bigint NOT NULL,
    PRIMARY KEY (tenant_id, entry_id, account),
    FOREIGN KEY (tenant_id, entry_id) REFERENCES wallet_entry (tenant_id, id)
);

-- What is set aside for something whose price or outcome is not known yet.
CREATE TABLE wallet_reservation (
    tenant_id  uuid NOT NULL,
    id         uuid NOT NULL,
    purpose    text NOT NULL,
    amount     bigint NOT NULL,
    open       boolean NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);

-- A card payment. Nothing of the card is here.
CREATE TABLE wallet_topup (
    tenant_id    uuid NOT NULL,
    id           uuid NOT NULL,
    amount       bigint NOT NULL,
    currency     text NOT NULL,
    state        text NOT NULL,
    payment_id   text NOT NULL,
    reason       text NOT NULL,
    detail       text NOT NULL,
    created_at   bigint NOT NULL,
    expires_at   bigint NOT NULL,
    completed_at bigint,
    PRIMARY KEY (tenant_id, id)
);

-- Who pays, as banks ask for it; sealed.
CREATE TABLE wallet_buyer (
    tenant_id uuid NOT NULL PRIMARY KEY,
    sealed    bytea NOT NULL
);
