/// What a policy does.
public enum PolicyKind: String, CaseIterable, Hashable, Sendable, Codable {
    /// Makes a user.
    case signUp = "sign-up"
    /// Proves who a known user is.
    case signIn = "sign-in"
    /// Either, as the person chooses.
    case signUpOrSignIn = "sign-up-or-sign-in"

    /// Whether it can make a user.
    public var signsUp: Bool { self != .signIn }

    /// Whether it can prove who a known user is.
    public var signsIn: Bool { self != .signUp }
}

/// What a person types to say who he is.
public enum SignInName: String, CaseIterable, Hashable, Sendable, Codable {
    /// An e-mail address.
    case email
    /// A name of his choice.
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
