public import AuthorityStore
public import FlowModel

/// What a request lacks, if anything.
public enum Decision: Sendable {
    /// A live session meets it: its id, and whose it is.
    case satisfied(session: String, user: UserID)
    /// A person must be asked; the flow's end is bound to the pending request.
    case lacking(Requirement, PendingRequest)
}

/// How much a person may or must be asked.
public enum Prompt: String, Hashable, Sendable, CaseIterable {
    /// If it must be.
    case auto
    /// Never.
    case none
    /// In any case.
    case login
    /// To make an account.
    case create
    /// Which account is meant.
    case select

    /// Whether a session that exists is passed over.
    var passesOverSessions: Bool {
        switch self {
        case .auto, .none: false
        case .login, .create, .select: true
        }
    }
}
