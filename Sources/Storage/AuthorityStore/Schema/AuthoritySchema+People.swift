import DurableSQLite

extension AuthoritySchema {
    static let people = """
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

        CREATE TABLE identities (
            mac TEXT PRIMARY KEY NOT NULL,
            user_id TEXT NOT NULL,
            provider TEXT NOT NULL,
            added_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX identities_user ON identities (user_id);

        CREATE TABLE invitations (
            mac TEXT PRIMARY KEY NOT NULL,
            invited_at INTEGER NOT NULL,
            \(Migration.deadline("ends"))
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

        CREATE TABLE enrolments (
            id TEXT PRIMARY KEY NOT NULL,
            owner TEXT NOT NULL,
            user_id TEXT NOT NULL,
            credential TEXT NOT NULL,
            secret BLOB NOT NULL,
            enrolled_at INTEGER NOT NULL,
            withheld INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX enrolments_user ON enrolments (user_id, owner);

        CREATE TABLE authenticators (
            user_id TEXT PRIMARY KEY NOT NULL,
            secret BLOB NOT NULL,
            step INTEGER NOT NULL,
            enrolled_at INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE recovery_codes (
            mac TEXT PRIMARY KEY NOT NULL,
            user_id TEXT NOT NULL
        ) STRICT;
        CREATE INDEX recovery_codes_user ON recovery_codes (user_id);

        CREATE TABLE devices (
            mac TEXT PRIMARY KEY NOT NULL,
            user_id TEXT NOT NULL,
            \(Migration.deadline("ends"))
        ) STRICT;
        CREATE INDEX devices_user ON devices (user_id, ends_wall);
        CREATE INDEX devices_ends ON devices (ends_wall);

        CREATE TABLE known_origins (
            mac TEXT PRIMARY KEY NOT NULL,
            widest TEXT NOT NULL,
            at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX known_origins_widest ON known_origins (widest, at);
        CREATE INDEX known_origins_at ON known_origins (at);

        CREATE TABLE attempts (
            id TEXT PRIMARY KEY NOT NULL,
            subject TEXT,
            used INTEGER NOT NULL,
            level INTEGER NOT NULL,
            proven INTEGER NOT NULL,
            period INTEGER NOT NULL,
            \(Migration.deadline("ends")),
            \(Migration.deadline("forget")),
            answer BLOB
        ) STRICT;
        CREATE INDEX attempts_subject ON attempts (subject);
        CREATE INDEX attempts_forget ON attempts (forget_wall);
        """
}
