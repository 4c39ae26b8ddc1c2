/// The kinds of policies.
public enum PolicyKind: String, CaseIterable, Hashable, Sendable, Codable {
    /// Creates an account.
    case signUp = "sign-up"
    /// Signs in an existing user.
    case signIn = "sign-in"
    /// Signs up or signs in, as the user chooses.
    case signUpOrSignIn = "sign-up-or-sign-in"
    /// Changes the attributes of an existing user.
    case profileEdit = "profile-edit"
    /// Sets a new password after the user has entered a code sent by e-mail.
    case passwordReset = "password-reset"
    /// Signs in with a single external provider, and creates an account for a user who has none.
    case social
    /// Runs additional checks for a signed-in user.
    ///
    /// Tokens are issued under the policy of the session.
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

    /// Whether checks that were passed in an existing session count towards this policy.
    ///
    /// A password reset always runs all checks.
    public var goesOnFromSession: Bool {
        switch self {
        case .signUp, .signIn, .signUpOrSignIn, .social, .profileEdit, .stepUp: true
        case .passwordReset: false
        }
    }

    /// Whether the policy changes the account.
    ///
    /// An existing session is not sufficient for such a policy.
    public var changesPerson: Bool {
        switch self {
        case .profileEdit, .passwordReset: true
        case .signUp, .signIn, .signUpOrSignIn, .social, .stepUp: false
        }
    }
}

/// The kinds of sign-in names.
public enum SignInName: String, CaseIterable, Hashable, Sendable, Codable {
    /// An e-mail address.
    case email
    /// A name that the user chooses.
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
