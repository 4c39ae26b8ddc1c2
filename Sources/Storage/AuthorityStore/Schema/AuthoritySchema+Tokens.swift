import DurableSQLite

extension AuthoritySchema {
    /// The tables of clients, codes (stored only as hashes), refresh-token families and signing keys.
    static let tokens = """
        CREATE TABLE clients (
            id TEXT PRIMARY KEY NOT NULL,
            name TEXT NOT NULL,
            type TEXT NOT NULL,
            secret_hash BLOB,
            redirect_uris TEXT NOT NULL,
            scopes TEXT NOT NULL,
            audience TEXT,
            created_at INTEGER NOT NULL,
            post_logout_uris TEXT NOT NULL DEFAULT '[]',
            backchannel_logout_uri TEXT,
            id_token_alg TEXT NOT NULL DEFAULT 'ES256',
            access_token_alg TEXT NOT NULL DEFAULT 'ES256'
        ) STRICT;

        CREATE TABLE consents (
            user_id TEXT NOT NULL,
            client TEXT NOT NULL,
            scope TEXT NOT NULL,
            given_at INTEGER NOT NULL,
            PRIMARY KEY (user_id, client, scope)
        ) STRICT;
        CREATE INDEX consents_client ON consents (client);

        CREATE TABLE codes (
            hash TEXT PRIMARY KEY NOT NULL,
            owner TEXT NOT NULL,
            user_id TEXT NOT NULL,
            client TEXT NOT NULL,
            policy TEXT NOT NULL,
            body BLOB NOT NULL,
            authentication BLOB NOT NULL,
            session_id TEXT,
            \(Migration.deadline("expires")),
            family TEXT,
            tenant TEXT
        ) STRICT;
        CREATE INDEX codes_expires ON codes (expires_wall);
        CREATE INDEX codes_owner ON codes (owner, user_id) WHERE family IS NULL;
        CREATE INDEX codes_user ON codes (user_id) WHERE family IS NULL;

        CREATE TABLE device_codes (
            hash TEXT PRIMARY KEY NOT NULL,
            user_code TEXT NOT NULL,
            origin TEXT NOT NULL,
            client TEXT NOT NULL,
            policy TEXT NOT NULL,
            body BLOB NOT NULL,
            state TEXT NOT NULL,
            owner TEXT,
            user_id TEXT,
            authentication BLOB,
            session_id TEXT,
            interval INTEGER NOT NULL,
            \(Migration.deadline("next")),
            \(Migration.deadline("expires")),
            family TEXT,
            tenant TEXT,
            \(origin)
        ) STRICT;
        CREATE UNIQUE INDEX device_codes_user_code ON device_codes (user_code);
        CREATE INDEX device_codes_expires ON device_codes (expires_wall);
        CREATE INDEX device_codes_origin ON device_codes (origin, expires_wall);
        CREATE INDEX device_codes_owner ON device_codes (owner, user_id) WHERE state = 'approved';
        CREATE INDEX device_codes_user ON device_codes (user_id) WHERE state = 'approved';
        CREATE INDEX device_codes_own ON device_codes (own, expires_wall);
        CREATE INDEX device_codes_widest ON device_codes (widest, expires_wall);
        CREATE INDEX device_codes_known ON device_codes (is_known, expires_wall);

        CREATE TABLE pushed_requests (
            hash TEXT PRIMARY KEY NOT NULL,
            origin TEXT NOT NULL,
            client TEXT NOT NULL,
            policy TEXT NOT NULL,
            body BLOB NOT NULL,
            \(Migration.deadline("expires")),
            tenant TEXT,
            \(origin)
        ) STRICT;
        CREATE INDEX pushed_requests_expires ON pushed_requests (expires_wall);
        CREATE INDEX pushed_requests_origin ON pushed_requests (origin, expires_wall);
        CREATE INDEX pushed_requests_own ON pushed_requests (own, expires_wall);
        CREATE INDEX pushed_requests_widest ON pushed_requests (widest, expires_wall);
        CREATE INDEX pushed_requests_known ON pushed_requests (is_known, expires_wall);

        CREATE TABLE families (
            id TEXT PRIMARY KEY NOT NULL,
            owner TEXT NOT NULL,
            user_id TEXT NOT NULL,
            client TEXT NOT NULL,
            policy TEXT NOT NULL,
            scopes TEXT NOT NULL,
            audience TEXT,
            counter INTEGER NOT NULL,
            secret BLOB NOT NULL,
            authentication BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            \(Migration.deadline("expires")),
            \(Migration.deadline("window")),
            session_id TEXT,
            revoked_at INTEGER,
            revoked_reason TEXT,
            resource TEXT,
            spelled_scopes TEXT,
            tenant TEXT
        ) STRICT;
        CREATE INDEX families_owner ON families (owner, user_id, client, policy, created_at) WHERE revoked_at IS NULL;
        CREATE INDEX families_user ON families (user_id) WHERE revoked_at IS NULL;
        CREATE INDEX families_client ON families (client) WHERE revoked_at IS NULL;
        CREATE INDEX families_revoked ON families (owner, revoked_at) WHERE revoked_at IS NOT NULL;
        CREATE INDEX families_expires ON families (expires_wall);

        CREATE TABLE spent_ids (
            id TEXT PRIMARY KEY NOT NULL,
            ends INTEGER NOT NULL,
            client TEXT
        ) STRICT;
        CREATE INDEX spent_ids_ends ON spent_ids (ends);
        CREATE INDEX spent_ids_client ON spent_ids (client);

        CREATE TABLE signing_keys (
            id TEXT PRIMARY KEY NOT NULL,
            alg TEXT NOT NULL,
            secret BLOB,
            jwk TEXT NOT NULL,
            state TEXT NOT NULL,
            published_at INTEGER NOT NULL,
            active_from INTEGER NOT NULL,
            retired_at INTEGER,
            remove_at INTEGER
        ) STRICT;
        """

    /// The end of the time in which the previous token of a family can be presented again, and the scopes of its access
    /// token.
    static let repeatedRenewals = """
        ALTER TABLE families ADD COLUMN grace_wall INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE families ADD COLUMN grace_boot INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE families ADD COLUMN grace_boot_id TEXT NOT NULL DEFAULT '';
        ALTER TABLE families ADD COLUMN renewed_scopes TEXT NOT NULL DEFAULT '[]';
        """
}
