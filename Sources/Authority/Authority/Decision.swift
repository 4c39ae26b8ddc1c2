public import AuthorityStore
public import FlowModel

/// The session that satisfies a request, or the requirement that a flow must meet.
public enum Decision: Sendable {
    /// A live session satisfies the request.
    case satisfied(session: String, user: UserID)
    /// The user must complete a flow that meets this requirement, whose result only the pending request can use.
    case lacking(Requirement, PendingRequest)
}

/// Whether a flow prompts the user, and for what.
public enum Prompt: String, Hashable, Sendable, CaseIterable {
    /// Prompts only if necessary.
    case auto
    /// Never prompts.
    case none
    /// Always prompts for sign-in.
    case login
    /// Prompts the user to create an account.
    case create
    /// Prompts the user to choose an account.
    case select

    var entrance: Requirement.Entrance {
        switch self {
        case .create: .create
        case .auto, .none, .login, .select: .policy
        }
    }

    /// Whether an external provider must prompt the user even if the user is already signed in at the provider.
    var asksAnew: Bool {
        switch self {
        case .login: true
        case .auto, .none, .create, .select: false
        }
    }

    var passesOverSessions: Bool {
        switch self {
        case .auto, .none: false
        case .login, .create, .select: true
        }
    }
}
