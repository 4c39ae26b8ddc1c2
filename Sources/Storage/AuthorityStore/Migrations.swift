import DurableSQLite

/// The steps of the authority's schema; append only.
enum Migrations {
    static let all: [Migration] = [
        first, whoMetRequests, auditOwners, invitationsAndGroups, oneOwner, auditBudgets, codes, tickets,
        programs, sharesOfSpentIDs, logouts, clientTerms, enrolments, providers,
        authenticators, devices, lastAnswers, remembered, withheld, tenants, logoutTenants, origins,
    ]

    /// Times are milliseconds since 1970 UTC; a deadline is three columns: wall clock, time since boot, and the boot's
    /// id.
    private static let first = Migration(
        "users, attempts, flows, grants, keys, mail and audit",
        sql: """
            CREATE TABLE epoch (
                id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
                value INTEGER NOT NULL
            ) STRICT;
            INSERT INTO epoch (id, value) VALUES (1, 1);

            CREATE TABLE users (
                id TEXT PRIMARY KEY NOT NULL,
                enabled INTEGER NOT NULL,
                created_at INTEGER NOT NULL,
                profile BLOB NOT NULL
            ) STRICT;
            CREATE TABLE sign_in_names (
                mac TEXT PRIMARY KEY NOT NULL,
                user_id TEXT NOT NULL
            ) STRICT;
            CREATE INDEX sign_in_names_user ON sign_in_names (user_id);

            CREATE TABLE attempts (
                id TEXT PRIMARY KEY NOT NULL,
                subject TEXT,
                used INTEGER NOT NULL,
                level INTEGER NOT NULL,
                proven INTEGER NOT NULL,
                period INTEGER NOT NULL,
                ends_wall INTEGER NOT NULL,
                ends_boot INTEGER NOT NULL,
                ends_boot_id TEXT NOT NULL,
                forget_wall INTEGER NOT NULL,
                forget_boot INTEGER NOT NULL,
                forget_boot_id TEXT NOT NULL
            ) STRICT;
            CREATE INDEX attempts_subject ON attempts (subject);
            CREATE INDEX attempts_forget ON attempts (forget_wall);

            CREATE TABLE flows (
                id TEXT PRIMARY KEY NOT NULL,
                machine TEXT NOT NULL,
                uid INTEGER NOT NULL,
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
            CREATE INDEX flows_owner ON flows (machine, uid, is_open);
            CREATE INDEX flows_request ON flows (machine, uid, request_id);
            CREATE INDEX flows_open ON flows (is_open, expires_wall);
            CREATE INDEX flows_user ON flows (user_id);
            CREATE INDEX flows_kept ON flows (kept_wall);

            CREATE TABLE sign_out_count (
                id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
                value INTEGER NOT NULL
            ) STRICT;
            INSERT INTO sign_out_count (id, value) VALUES (1, 0);
            CREATE TABLE sign_outs (
                machine TEXT NOT NULL,
                uid INTEGER NOT NULL,
                user_id TEXT NOT NULL,
                number INTEGER NOT NULL,
                at INTEGER NOT NULL,
                PRIMARY KEY (machine, uid, user_id)
            ) STRICT;
            CREATE INDEX sign_outs_at ON sign_outs (at);

            CREATE TABLE requests (
                id TEXT PRIMARY KEY NOT NULL,
                machine TEXT NOT NULL,
                uid INTEGER NOT NULL,
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
                met_boot_id TEXT
            ) STRICT;
            CREATE INDEX requests_expires ON requests (expires_wall);

            CREATE TABLE sessions (
                id TEXT PRIMARY KEY NOT NULL,
                machine TEXT NOT NULL,
                uid INTEGER NOT NULL,
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
            CREATE INDEX sessions_owner ON sessions (machine, uid, user_id);
            CREATE INDEX sessions_user ON sessions (user_id);
            CREATE INDEX sessions_ends ON sessions (ends_wall);

            CREATE TABLE families (
                id TEXT PRIMARY KEY NOT NULL,
                machine TEXT,
                uid INTEGER,
                kind TEXT NOT NULL,
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
            CREATE INDEX families_owner ON families (machine, uid, user_id, client, policy, created_at)
                WHERE revoked_at IS NULL;
            CREATE INDEX families_user ON families (user_id) WHERE revoked_at IS NULL;
            CREATE INDEX families_client ON families (client) WHERE revoked_at IS NULL;
            CREATE INDEX families_revoked ON families (machine, uid, revoked_at) WHERE revoked_at IS NOT NULL;
            CREATE INDEX families_expires ON families (expires_wall);

            CREATE TABLE consents (
                user_id TEXT NOT NULL,
                client TEXT NOT NULL,
                scope TEXT NOT NULL,
                given_at INTEGER NOT NULL,
                PRIMARY KEY (user_id, client, scope)
            ) STRICT;
            CREATE INDEX consents_client ON consents (client);

            CREATE TABLE clients (
                id TEXT PRIMARY KEY NOT NULL,
                name TEXT NOT NULL,
                type TEXT NOT NULL,
                secret_hash BLOB,
                redirect_uris TEXT NOT NULL,
                scopes TEXT NOT NULL,
                audience TEXT,
                created_at INTEGER NOT NULL
            ) STRICT;

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

            CREATE TABLE outbox (
                id TEXT PRIMARY KEY NOT NULL,
                mail BLOB NOT NULL,
                tries INTEGER NOT NULL,
                created_at INTEGER NOT NULL,
                next_wall INTEGER NOT NULL,
                next_boot INTEGER NOT NULL,
                next_boot_id TEXT NOT NULL
            ) STRICT;
            CREATE INDEX outbox_next ON outbox (next_boot_id, next_boot);
            CREATE INDEX outbox_next_wall ON outbox (next_wall);
            CREATE TABLE counts (
                id TEXT PRIMARY KEY NOT NULL,
                value INTEGER NOT NULL
            ) STRICT;
            INSERT INTO counts (id, value) VALUES ('outbox', 0);
            CREATE TRIGGER outbox_added AFTER INSERT ON outbox BEGIN
                UPDATE counts SET value = value + 1 WHERE id = 'outbox';
            END;
            CREATE TRIGGER outbox_removed AFTER DELETE ON outbox BEGIN
                UPDATE counts SET value = value - 1 WHERE id = 'outbox';
            END;

            CREATE TABLE audit (
                seq INTEGER PRIMARY KEY NOT NULL,
                at INTEGER NOT NULL,
                event TEXT NOT NULL,
                machine TEXT,
                uid INTEGER,
                user_id TEXT,
                client TEXT,
                policy TEXT,
                correlation_id TEXT NOT NULL,
                pid INTEGER,
                detail TEXT NOT NULL
            ) STRICT;
            CREATE INDEX audit_owner ON audit (machine, uid, seq);

            CREATE TABLE audit_budgets (
                machine TEXT NOT NULL,
                uid INTEGER NOT NULL,
                ends INTEGER NOT NULL,
                used INTEGER NOT NULL,
                PRIMARY KEY (machine, uid)
            ) STRICT;
            CREATE INDEX audit_budgets_ends ON audit_budgets (ends);
            """
    )

    /// Lets a sign-out find the requests that a person met; those met before this step are deleted, since their person
    /// is not recorded.
    private static let whoMetRequests = Migration(
        "who met a request",
        sql: """
            DELETE FROM requests WHERE authentication IS NOT NULL;
            ALTER TABLE requests ADD COLUMN user_id TEXT;
            CREATE INDEX requests_owner ON requests (machine, uid, user_id);
            CREATE INDEX requests_user ON requests (user_id) WHERE user_id IS NOT NULL;
            """
    )

    /// Bounds each uid's events and accounts for numbers of deleted events.
    private static let auditOwners = Migration(
        "how many events each uid has",
        sql: """
            CREATE TABLE audit_owners (
                machine TEXT NOT NULL,
                uid INTEGER NOT NULL,
                kept INTEGER NOT NULL,
                forgotten INTEGER NOT NULL,
                PRIMARY KEY (machine, uid)
            ) STRICT;
            CREATE INDEX audit_owners_kept ON audit_owners (kept);
            INSERT INTO audit_owners (machine, uid, kept, forgotten)
            SELECT coalesce(machine, ''), coalesce(uid, 0), count(*), 0 FROM audit
            GROUP BY coalesce(machine, ''), coalesce(uid, 0);
            INSERT INTO audit_owners (machine, uid, kept, forgotten)
            SELECT '', 0, 0, coalesce(min(seq) - 1, 0) FROM audit WHERE true
            ON CONFLICT (machine, uid) DO UPDATE SET forgotten = excluded.forgotten;
            """
    )

    /// Invitations, which a sign-up may need, and memberships of groups.
    private static let invitationsAndGroups = Migration(
        "invitations and groups",
        sql: """
            CREATE TABLE invitations (
                mac TEXT PRIMARY KEY NOT NULL,
                invited_at INTEGER NOT NULL,
                ends_wall INTEGER NOT NULL,
                ends_boot INTEGER NOT NULL,
                ends_boot_id TEXT NOT NULL
            ) STRICT;
            CREATE INDEX invitations_ends ON invitations (ends_wall);

            CREATE TABLE user_groups (
                name TEXT PRIMARY KEY NOT NULL,
                members INTEGER NOT NULL
            ) STRICT;
            CREATE TABLE memberships (
                group_name TEXT NOT NULL,
                user_id TEXT NOT NULL,
                added_at INTEGER NOT NULL,
                PRIMARY KEY (group_name, user_id)
            ) STRICT;
            CREATE INDEX memberships_user ON memberships (user_id, group_name);
            """
    )

    /// A budget of events for each kind of cause, so that cheap events crowd out no others.
    private static let auditBudgets = Migration(
        "budgets of the audit",
        sql: """
            CREATE TABLE new_audit_budgets (
                owner TEXT NOT NULL,
                budget TEXT NOT NULL,
                ends INTEGER NOT NULL,
                used INTEGER NOT NULL,
                PRIMARY KEY (owner, budget)
            ) STRICT;
            INSERT INTO new_audit_budgets (owner, budget, ends, used)
            SELECT owner, 'requests', ends, used FROM audit_budgets;
            DROP TABLE audit_budgets;
            ALTER TABLE new_audit_budgets RENAME TO audit_budgets;
            CREATE INDEX audit_budgets_ends ON audit_budgets (ends);
            """
    )
}
