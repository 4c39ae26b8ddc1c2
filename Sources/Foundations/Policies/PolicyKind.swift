/// The kinds of policies.
public enum PolicyKind: String, CaseIterable, Hashable, Sendable, Codable {
    /// Makes a user.
    case signUp = "sign-up"
    /// Signs a known user in.
    case signIn = "sign-in"
    /// Either, as the person chooses.
    case signUpOrSignIn = "sign-up-or-sign-in"
    /// Changes a known user's attributes.
    case profileEdit = "profile-edit"
    /// Sets a new password, after a code that was sent.
    case passwordReset = "password-reset"
    /// Signs in with one provider outside; whoever is new there is new here, too.
    case social
    /// Asks more of somebody who is signed in, and issues under the policy they signed in with.
    case stepUp = "step-up"

    /// True if it can make a user.
    public var signsUp: Bool {
        switch self {
        case .signUp, .signUpOrSignIn, .social: true
        case .signIn, .profileEdit, .passwordReset, .stepUp: false
        }
    }

    /// True if it makes accounts with names to sign in under.
    var namesAccounts: Bool {
        switch self {
        case .signUp, .signUpOrSignIn: true
        case .signIn, .social, .profileEdit, .passwordReset, .stepUp: false
        }
    }

    /// True if it can sign a known user in, and nothing else.
    public var signsIn: Bool {
        switch self {
        case .signIn, .signUpOrSignIn, .social: true
        case .signUp, .profileEdit, .passwordReset, .stepUp: false
        }
    }

    /// True if it issues nothing itself: another policy does, that of the person's session.
    public var stepsUp: Bool {
        switch self {
        case .signUp, .signIn, .signUpOrSignIn, .social, .profileEdit, .passwordReset: false
        case .stepUp: true
        }
    }

    /// True if a session of the person counts; who forgot the password proves everything.
    public var goesOnFromSession: Bool {
        switch self {
        case .signUp, .signIn, .signUpOrSignIn, .social, .profileEdit, .stepUp: true
        case .passwordReset: false
        }
    }

    /// True if it changes something, so that no session answers for the person.
    public var changesPerson: Bool {
        switch self {
        case .profileEdit, .passwordReset: true
        case .signUp, .signIn, .signUpOrSignIn, .social, .stepUp: false
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
