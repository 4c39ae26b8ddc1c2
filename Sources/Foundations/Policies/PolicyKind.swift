/// The kinds of policies.
public enum PolicyKind: String, CaseIterable, Hashable, Sendable, Codable {
    case signUp = "sign-up"
    case signIn = "sign-in"
    case signUpOrSignIn = "sign-up-or-sign-in"
    case profileEdit = "profile-edit"
    /// Sets a new password after the user has entered a code sent by e-mail.
    case passwordReset = "password-reset"
    /// Signs the user in with a single external provider, and creates an account if the user has none.
    case social
    /// Runs additional checks for a signed-in user.
    ///
    /// The tokens are issued under the policy of the user's session, not under this policy.
    case stepUp = "step-up"

    /// Whether the policy can create an account.
    public var signsUp: Bool {
        switch self {
        case .signUp, .signUpOrSignIn, .social: true
        case .signIn, .profileEdit, .passwordReset, .stepUp: false
        }
    }

    /// Whether the policy creates accounts with sign-in names.
    var namesAccounts: Bool {
        switch self {
        case .signUp, .signUpOrSignIn: true
        case .signIn, .social, .profileEdit, .passwordReset, .stepUp: false
        }
    }

    /// Whether the policy can sign in an existing user without changing the account.
    public var signsIn: Bool {
        switch self {
        case .signIn, .signUpOrSignIn, .social: true
        case .signUp, .profileEdit, .passwordReset, .stepUp: false
        }
    }

    /// Whether the policy of the user's session issues the tokens instead of this policy.
    public var stepsUp: Bool {
        switch self {
        case .signUp, .signIn, .signUpOrSignIn, .social, .profileEdit, .passwordReset: false
        case .stepUp: true
        }
    }

    /// Whether checks that the user has passed in an existing session count for this policy.
    public var goesOnFromSession: Bool {
        switch self {
        case .signUp, .signIn, .signUpOrSignIn, .social, .profileEdit, .stepUp: true
        case .passwordReset: false
        }
    }

    /// Whether the policy changes an existing account.
    ///
    /// Such a policy always starts a flow, even if the user already has a session.
    public var changesPerson: Bool {
        switch self {
        case .profileEdit, .passwordReset: true
        case .signUp, .signIn, .signUpOrSignIn, .social, .stepUp: false
        }
    }
}

/// The kinds of sign-in names.
public enum SignInName: String, CaseIterable, Hashable, Sendable, Codable {
    case email
    case username
    /// An e-mail address or a name that the user chooses.
    case both

    /// The attributes that sign-up must collect for the sign-in name.
    public var attributes: [String] {
        switch self {
        case .email: ["email"]
        case .username: ["username"]
        case .both: ["email", "username"]
        }
    }
}
