/// The kinds of policies.
public enum PolicyKind: String, CaseIterable, Hashable, Sendable, Codable {
    /// Makes a user.
    case signUp = "sign-up"
    /// Signs a known user in.
    case signIn = "sign-in"
    /// Either, as the person chooses.
    case signUpOrSignIn = "sign-up-or-sign-in"
    /// Asks more of somebody who is signed in, and issues under the policy they signed in with.
    case stepUp = "step-up"

    /// True if it can make a user.
    public var signsUp: Bool {
        switch self {
        case .signUp, .signUpOrSignIn: true
        case .signIn, .stepUp: false
        }
    }

    /// True if it can sign a known user in.
    public var signsIn: Bool {
        switch self {
        case .signIn, .signUpOrSignIn: true
        case .signUp, .stepUp: false
        }
    }

    /// True if it issues nothing itself: another policy does, that of the person's session.
    public var stepsUp: Bool {
        switch self {
        case .signUp, .signIn, .signUpOrSignIn: false
        case .stepUp: true
        }
    }
}

/// The kinds of names that a person signs in with.
public enum SignInName: String, CaseIterable, Hashable, Sendable, Codable {
    /// An e-mail address.
    case email
    /// A name of the person's choice.
    case username
    /// Either of them.
    case both

    /// The attributes that sign-up must collect for it.
    public var attributes: [String] {
        switch self {
        case .email: ["email"]
        case .username: ["username"]
        case .both: ["email", "username"]
        }
    }
}
