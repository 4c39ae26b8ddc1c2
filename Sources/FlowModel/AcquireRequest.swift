public import OAuth

/// What `token.acquire` asks for, as typed values.
public struct AcquireRequest: Hashable, Sendable {
    /// How much a person may be asked.
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
    }

    /// Where a person is asked.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// By the caller, step by step.
        case native
        /// In a browser of this machine.
        case browser
        /// In a browser of another device.
        case device
    }

    /// Whom the token must be for.
    public struct UserHint: Hashable, Sendable {
        /// How ``id`` is meant.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// The sign-in name; nobody else will do.
            case requiredDisplayableID = "RequiredDisplayableId"
            /// A sign-in name to begin with.
            case optionalDisplayableID = "OptionalDisplayableId"
            /// The object id; nobody else will do.
            case uniqueID = "UniqueId"
        }

        /// A sign-in name or an object id.
        public let id: String
        /// How it is meant.
        public let kind: Kind

        /// Whom the token must be for.
        public init(id: String, kind: Kind = .requiredDisplayableID) {
            self.id = id
            self.kind = kind
        }
    }

    /// The policy; without one that of the account's last sign-in, else the default.
    public var policy: String?
    /// What the caller says it is.
    public var client: String?
    /// What the token must allow.
    public var scopes: [String]
    /// What else to ask for when the person is asked anyway.
    public var additionalScopes: [String] = []
    /// An account by its opaque id.
    public var account: String?
    /// Whom the token must be for.
    public var user: UserHint?
    /// The API, by its audience, where the scopes do not say.
    public var resource: String?
    /// Authentication contexts of which one must be reached.
    public var acrValues: [String] = []
    /// How many seconds ago the person may have proved who they are.
    public var maxAge: Int64?
    /// The claims request (OpenID Connect Core §5.5).
    public var claims: [String: JSONValue]?
    /// How much a person may be asked.
    public var prompt: Prompt = .auto
    /// Where a person is asked.
    public var mode: Mode = .native
    /// A provider to go to.
    public var provider: String?
    /// A provider's own token.
    public var providerToken: [String: Secret] = [:]
    /// How many milliseconds the token must still live; 60 000 if nil.
    public var minValidityMs: Int64?
    /// Whether the cache is passed over.
    public var forceRefresh = false
    /// Parameters for an outside authority.
    public var extraQueryParameters: [String: String] = [:]
    /// What ties answer, log and audit together; one is made if it is nil.
    public var correlationID: CorrelationID?
    /// The same id again within 120 s gets the same flow.
    public var requestID: String?

    /// A request for `scopes` with everything else at its default.
    public init(scopes: [String]) {
        self.scopes = scopes
    }
}
