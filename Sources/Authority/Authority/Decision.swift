public import AuthorityStore
public import FlowModel

/// The decision on a request: a session that meets it, or what is lacking.
public enum Decision: Sendable {
    /// A live session meets it: its id, and its user.
    case satisfied(session: String, user: UserID)
    /// A person must be asked; the flow's end is bound to the pending request.
    case lacking(Requirement, PendingRequest)
}

/// The ways in which a person may or must be asked.
public enum Prompt: String, Hashable, Sendable, CaseIterable {
    /// Asks if it is necessary.
    case auto
    /// Never asks.
    case none
    /// Asks in any case.
    case login
    /// Asks to make an account.
    case create
    /// Asks which account to use.
    case select

    /// The entrance of the flow that asks.
    var entrance: Requirement.Entrance {
        switch self {
        case .create: .create
        case .auto, .none, .login, .select: .policy
        }
    }

    /// True if a provider outside has to ask the person, though it knows them.
    var asksAnew: Bool {
        switch self {
        case .login: true
        case .auto, .none, .create, .select: false
        }
    }

    /// True if existing sessions are passed over.
    var passesOverSessions: Bool {
        switch self {
        case .auto, .none: false
        case .login, .create, .select: true
        }
    }
}
