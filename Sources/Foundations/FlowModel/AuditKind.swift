/// The kinds of security events that can be recorded, with their names in the store and on the wire.
public enum AuditKind: String, Hashable, Sendable, CaseIterable {
    case flowStarted = "flow.started"
    case flowSucceeded = "flow.succeeded"
    case flowFailed = "flow.failed"
    case flowCancelled = "flow.cancelled"
    case flowExpired = "flow.expired"
    case accountCreated = "account.created"
    case signInSucceeded = "signin.succeeded"
    case signInFailed = "signin.failed"
    case signInBlocked = "signin.blocked"
    case signUpRefused = "signup.refused"
    case credentialAccepted = "credential.accepted"
    case credentialEnrolled = "credential.enrolled"
    case credentialRemoved = "credential.removed"
    case checkLoggedOut = "check.logged_out"
    case codeSent = "code.sent"
    case consentDenied = "consent.denied"
    case consentWithdrawn = "consent.withdrawn"
    case passwordChanged = "password.changed"
    case profileChanged = "profile.changed"
    case tokenIssued = "token.issued"
    case tokenRenewed = "token.renewed"
    case tokenNotCached = "token.not_cached"
    case familyRevoked = "family.revoked"
    case tokenRevoked = "token.revoked"
    case signOut = "signout"
    case authorityAdded = "authority.added"
    case authorityRemoved = "authority.removed"
    case cacheLocked = "cache.locked"
    case cacheUnlocked = "cache.unlocked"
    case cacheUnlockFailed = "cache.unlock_failed"
    case cacheUnlockBlocked = "cache.unlock_blocked"
    case requestUnanswerable = "request.unanswerable"
    case operatorPermitted = "operator.permitted"
    case operatorRefused = "operator.refused"
    case clientAdded = "client.added"
    case clientRemoved = "client.removed"
    case userInvited = "user.invited"
    case userUninvited = "user.uninvited"
    case userDisabled = "user.disabled"
    case userEnabled = "user.enabled"
    case userUnlocked = "user.unlocked"
    case userPasswordExpired = "user.password_expired"
    case userDeleted = "user.deleted"
    case groupAdded = "group.added"
    case groupRemoved = "group.removed"
    case keyGenerated = "key.generated"
    case keyRotated = "key.rotated"
    case keyRetired = "key.retired"
    case keyRevoked = "key.revoked"
    case keyRemoved = "key.removed"
    case storeBackedUp = "store.backed_up"
    case storeRestored = "store.restored"
    case storeDamageAccepted = "store.damage_accepted"
    case storeRowDamaged = "store.row_damaged"
    case auditSuppressed = "audit.suppressed"

    /// What prevents events of one kind from filling the audit log and displacing other events.
    public enum Bound: Hashable, Sendable {
        /// A limit on the events of each ``Owner``, beyond which events are counted but not stored.
        case budget(Budget)
        /// No budget, for the reason that the associated value states.
        case none(because: String)
    }

    /// The audit budgets that each ``Owner`` has.
    ///
    /// They are separate, so that events that are easy to cause do not use up the budget for other events.
    public enum Budget: String, Hashable, Sendable, CaseIterable {
        /// Events that any caller can cause without authentication.
        case requests
        /// Events that require access to an account, such as a session, a refresh token or a correct answer.
        case grants
    }

    /// The budget for events of this kind, or the reason why the kind has no budget.
    public var bound: Bound {
        switch self {
        case .flowStarted, .flowFailed, .flowCancelled, .flowExpired, .signInBlocked, .signUpRefused, .consentDenied,
            .signOut, .checkLoggedOut, .cacheLocked, .cacheUnlocked, .cacheUnlockFailed, .cacheUnlockBlocked,
            .requestUnanswerable, .authorityAdded, .authorityRemoved,
            .operatorRefused:
            .budget(.requests)
        case .flowSucceeded, .signInSucceeded, .credentialAccepted, .tokenIssued, .tokenRenewed, .tokenNotCached,
            .familyRevoked,
            .consentWithdrawn, .passwordChanged, .profileChanged, .tokenRevoked, .credentialEnrolled,
            .credentialRemoved:
            .budget(.grants)
        case .signInFailed, .accountCreated:
            .none(because: "evaluations are limited for each origin and in total")
        case .codeSent:
            .none(because: "mail is limited for each origin, address and day")
        case .operatorPermitted, .clientAdded, .clientRemoved, .userInvited, .userUninvited, .userDisabled,
            .userEnabled, .userUnlocked, .userPasswordExpired, .userDeleted, .groupAdded, .groupRemoved, .storeBackedUp:
            .none(because: "only operators cause it, and all of their actions must be recorded")
        case .keyGenerated, .keyRotated, .keyRetired, .keyRevoked, .keyRemoved:
            .none(because: "only operators and the key schedule cause it")
        case .storeRestored, .storeDamageAccepted, .storeRowDamaged:
            .none(because: "no caller causes it")
        case .auditSuppressed:
            .none(because: "there is one for each exceeded budget and period")
        }
    }
}
