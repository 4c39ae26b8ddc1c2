import DurableSQLite

extension Migrations {
    /// Replaces the columns `machine` and `uid` by one owner key (`Owner.key`); a family's kind is that of its owner.
    static let oneOwner = Migration(
        "one column for the owner",
        sql: """
            CREATE TABLE new_flows (
                id TEXT PRIMARY KEY NOT NULL,
                owner TEXT NOT NULL,
                account TEXT,
                user_id TEXT,
                client TEXT NOT NULL,
                policy TEXT NOT NULL,
                state BLOB NOT NULL,
                rev INTEGER NOT NULL,
                is_open INTEGER NOT NULL,
                closed_as TEXT,
                request_id TEXT,
                join_key TEXT,
                created_at INTEGER NOT NULL,
                repeat_wall INTEGER NOT NULL,
                repeat_boot INTEGER NOT NULL,
                repeat_boot_id TEXT NOT NULL,
                expires_wall INTEGER NOT NULL,
                expires_boot INTEGER NOT NULL,
                expires_boot_id TEXT NOT NULL,
                kept_wall INTEGER NOT NULL,
                kept_boot INTEGER NOT NULL,
                kept_boot_id TEXT NOT NULL,
                sign_outs INTEGER NOT NULL
            ) STRICT;
            INSERT INTO new_flows (
                id, owner, account, user_id, client, policy, state, rev, is_open, closed_as,
                request_id, join_key, created_at, repeat_wall, repeat_boot, repeat_boot_id,
                expires_wall, expires_boot, expires_boot_id, kept_wall, kept_boot, kept_boot_id,
                sign_outs
            )
            SELECT
                id, 'local:' || machine || ':' || uid, account, user_id, client, policy, state, rev,
                is_open, closed_as, request_id, join_key, created_at, repeat_wall, repeat_boot,
                repeat_boot_id, expires_wall, expires_boot, expires_boot_id, kept_wall, kept_boot,
                kept_boot_id, sign_outs
            FROM flows;
            DROP TABLE flows;
            ALTER TABLE new_flows RENAME TO flows;
            CREATE INDEX flows_owner ON flows (owner, is_open);
            CREATE INDEX flows_request ON flows (owner, request_id);
            CREATE INDEX flows_open ON flows (is_open, expires_wall);
            CREATE INDEX flows_user ON flows (user_id);
            CREATE INDEX flows_kept ON flows (kept_wall);

            CREATE TABLE new_sign_outs (
                owner TEXT NOT NULL,
                user_id TEXT NOT NULL,
                number INTEGER NOT NULL,
                at INTEGER NOT NULL,
                PRIMARY KEY (owner, user_id)
            ) STRICT;
            INSERT INTO new_sign_outs (
                owner, user_id, number, at
            )
            SELECT
                'local:' || machine || ':' || uid, user_id, number, at
            FROM sign_outs;
            DROP TABLE sign_outs;
            ALTER TABLE new_sign_outs RENAME TO sign_outs;
            CREATE INDEX sign_outs_at ON sign_outs (at);

            CREATE TABLE new_requests (
                id TEXT PRIMARY KEY NOT NULL,
                owner TEXT NOT NULL,
                client TEXT NOT NULL,
                policy TEXT NOT NULL,
                body BLOB NOT NULL,
                consumed INTEGER NOT NULL,
                expires_wall INTEGER NOT NULL,
                expires_boot INTEGER NOT NULL,
                expires_boot_id TEXT NOT NULL,
                authentication BLOB,
                met_wall INTEGER,
                met_boot INTEGER,
                met_boot_id TEXT,
                user_id TEXT
            ) STRICT;
            INSERT INTO new_requests (
                id, owner, client, policy, body, consumed, expires_wall, expires_boot,
                expires_boot_id, authentication, met_wall, met_boot, met_boot_id, user_id
            )
            SELECT
                id, 'local:' || machine || ':' || uid, client, policy, body, consumed, expires_wall,
                expires_boot, expires_boot_id, authentication, met_wall, met_boot, met_boot_id,
                user_id
            FROM requests;
            DROP TABLE requests;
            ALTER TABLE new_requests RENAME TO requests;
            CREATE INDEX requests_expires ON requests (expires_wall);
            CREATE INDEX requests_owner ON requests (owner, user_id);
            CREATE INDEX requests_user ON requests (user_id) WHERE user_id IS NOT NULL;

            CREATE TABLE new_sessions (
                id TEXT PRIMARY KEY NOT NULL,
                owner TEXT NOT NULL,
                user_id TEXT NOT NULL,
                proofs BLOB NOT NULL,
                policy TEXT NOT NULL,
                client TEXT NOT NULL,
                scope TEXT NOT NULL,
                created_at INTEGER NOT NULL,
                ends_wall INTEGER NOT NULL,
                ends_boot INTEGER NOT NULL,
                ends_boot_id TEXT NOT NULL,
                absolute_wall INTEGER NOT NULL,
                absolute_boot INTEGER NOT NULL,
                absolute_boot_id TEXT NOT NULL
            ) STRICT;
            INSERT INTO new_sessions (
                id, owner, user_id, proofs, policy, client, scope, created_at, ends_wall, ends_boot,
                ends_boot_id, absolute_wall, absolute_boot, absolute_boot_id
            )
            SELECT
                id, 'local:' || machine || ':' || uid, user_id, proofs, policy, client, scope,
                created_at, ends_wall, ends_boot, ends_boot_id, absolute_wall, absolute_boot,
                absolute_boot_id
            FROM sessions;
            DROP TABLE sessions;
            ALTER TABLE new_sessions RENAME TO sessions;
            CREATE INDEX sessions_owner ON sessions (owner, user_id);
            CREATE INDEX sessions_user ON sessions (user_id);
            CREATE INDEX sessions_ends ON sessions (ends_wall);

            CREATE TABLE new_families (
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
                expires_wall INTEGER NOT NULL,
                expires_boot INTEGER NOT NULL,
                expires_boot_id TEXT NOT NULL,
                window_wall INTEGER NOT NULL,
                window_boot INTEGER NOT NULL,
                window_boot_id TEXT NOT NULL,
                session_id TEXT,
                revoked_at INTEGER,
                revoked_reason TEXT
            ) STRICT;
            INSERT INTO new_families (
                id, owner, user_id, client, policy, scopes, audience, counter, secret, authentication,
                created_at, expires_wall, expires_boot, expires_boot_id, window_wall, window_boot,
                window_boot_id, session_id, revoked_at, revoked_reason
            )
            SELECT
                id, coalesce('local:' || machine || ':' || uid, 'browser:' || id), user_id, client,
                policy, scopes, audience, counter, secret, authentication, created_at, expires_wall,
                expires_boot, expires_boot_id, window_wall, window_boot, window_boot_id, session_id,
                revoked_at, revoked_reason
            FROM families;
            DROP TABLE families;
            ALTER TABLE new_families RENAME TO families;
            CREATE INDEX families_owner ON families (owner, user_id, client, policy, created_at)
                WHERE revoked_at IS NULL;
            CREATE INDEX families_user ON families (user_id) WHERE revoked_at IS NULL;
            CREATE INDEX families_client ON families (client) WHERE revoked_at IS NULL;
            CREATE INDEX families_revoked ON families (owner, revoked_at) WHERE revoked_at IS NOT NULL;
            CREATE INDEX families_expires ON families (expires_wall);

            CREATE TABLE new_audit (
                seq INTEGER PRIMARY KEY NOT NULL,
                at INTEGER NOT NULL,
                event TEXT NOT NULL,
                owner TEXT,
                user_id TEXT,
                client TEXT,
                policy TEXT,
                correlation_id TEXT NOT NULL,
                pid INTEGER,
                detail TEXT NOT NULL
            ) STRICT;
            INSERT INTO new_audit (
                seq, at, event, owner, user_id, client, policy, correlation_id, pid, detail
            )
            SELECT
                seq, at, event, 'local:' || machine || ':' || uid, user_id, client, policy,
                correlation_id, pid, detail
            FROM audit;
            DROP TABLE audit;
            ALTER TABLE new_audit RENAME TO audit;
            CREATE INDEX audit_owner ON audit (owner, seq);

            CREATE TABLE new_audit_budgets (
                owner TEXT PRIMARY KEY NOT NULL,
                ends INTEGER NOT NULL,
                used INTEGER NOT NULL
            ) STRICT;
            INSERT INTO new_audit_budgets (
                owner, ends, used
            )
            SELECT
                'local:' || machine || ':' || uid, ends, used
            FROM audit_budgets;
            DROP TABLE audit_budgets;
            ALTER TABLE new_audit_budgets RENAME TO audit_budgets;
            CREATE INDEX audit_budgets_ends ON audit_budgets (ends);

            CREATE TABLE new_audit_owners (
                owner TEXT PRIMARY KEY NOT NULL,
                kept INTEGER NOT NULL,
                forgotten INTEGER NOT NULL
            ) STRICT;
            INSERT INTO new_audit_owners (
                owner, kept, forgotten
            )
            SELECT
                CASE machine WHEN '' THEN '' ELSE 'local:' || machine || ':' || uid END, kept,
                forgotten
            FROM audit_owners;
            DROP TABLE audit_owners;
            ALTER TABLE new_audit_owners RENAME TO audit_owners;
            CREATE INDEX audit_owners_kept ON audit_owners (kept);
            """
    )
}
