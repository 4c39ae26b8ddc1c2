public import OAuth

/// The parameters of `token.acquire` as typed values.
public struct AcquireRequest: Hashable, Sendable {
    /// The ways in which a request may ask a person.
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
    }

    /// The places at which a person is asked.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// By the caller, step by step.
        case native
        /// In a browser of this machine.
        case browser
        /// In a browser of another device.
        case device
        /// In any browser, whose address at the end the person brings to the caller; at outside authorities only.
        case paste

        /// The place from which a provider outside can be gone to, which a browser alone can.
        public var toProvider: Mode {
            switch self {
            case .native: .browser
            case .browser, .device, .paste: self
            }
        }
    }

    /// The person that the token must be for.
    public struct UserHint: Hashable, Sendable {
        /// The meanings of ``UserHint/id``.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// The sign-in name; no other user is accepted.
            case requiredDisplayableID = "RequiredDisplayableId"
            /// A sign-in name to fill in, which may be changed.
            case optionalDisplayableID = "OptionalDisplayableId"
            /// The object id; no other user is accepted.
            case uniqueID = "UniqueId"
        }

        /// A sign-in name or an object id.
        public let id: String
        /// The meaning of ``id``.
        public let kind: Kind

        /// Names the person that the token must be for.
        public init(id: String, kind: Kind = .requiredDisplayableID) {
            self.id = id
            self.kind = kind
        }
    }

    /// The policy; without one that of the account's last sign-in, else the default.
    public var policy: String?
    /// The client id that the caller states.
    public var client: String?
    /// The scopes that the token must have.
    public var scopes: [String]
    /// Scopes to ask consent for if the person is asked anyway.
    public var additionalScopes: [String] = []
    /// An account by its opaque id.
    public var account: String?
    /// The person that the token must be for.
    public var user: UserHint?
    /// The API, by its audience, if the scopes do not name one.
    public var resource: String?
    /// The authentication contexts of which one must be reached.
    public var acrValues: [String] = []
    /// The greatest age of the proof of identity, in seconds.
    public var maxAge: Int64?
    /// The claims request (OpenID Connect Core §5.5).
    public var claims: [String: JSONValue]?
    /// The way in which a person may be asked.
    public var prompt: Prompt = .auto
    /// The place at which a person is asked.
    public var mode: Mode = .native
    /// At outside authorities, the daemon's port on loopback to which the browser comes back; 0 for any that serves.
    public var loopbackPort: UInt16?
    /// A provider to go to.
    public var provider: String?
    /// A provider's own token.
    public var providerToken: [String: Secret] = [:]
    /// The least remaining life of the token, in milliseconds; 60 000 if nil.
    public var minValidityMs: Int64?
    /// True if cached access tokens are passed over.
    public var forceRefresh = false
    /// More parameters of the authorization request at an outside authority.
    public var extraQueryParameters: [String: String] = [:]
    /// The id that answer, log and audit share; one is made if it is nil.
    public var correlationID: CorrelationID?
    /// The caller's name for this request; the same one within 120 s gives the same flow.
    public var requestID: String?

    /// A request for `scopes` with everything else at its default.
    public init(scopes: [String]) {
        self.scopes = scopes
    }
}
