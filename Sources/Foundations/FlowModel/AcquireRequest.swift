public import OAuth

/// The parameters of the method `token.acquire`, as typed values.
public struct AcquireRequest: Hashable, Sendable {
    /// Whether and how a request prompts the user.
    public enum Prompt: String, Hashable, Sendable, CaseIterable {
        case auto
        case none
        /// Always prompts the user to sign in.
        case login
        /// Prompts the user to sign up.
        case create
        /// Prompts the user to choose an account.
        case select
    }

    /// Where the user is prompted.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// In the calling program, step by step.
        case native
        /// In a browser on this machine.
        case browser
        /// In a browser on another device.
        case device
        /// In any browser, for external authorities only; the user copies the final address to the calling program.
        case paste

        /// The mode to use when a flow redirects to an external provider, because the redirect requires a browser.
        public var toProvider: Mode {
            switch self {
            case .native: .browser
            case .browser, .device, .paste: self
            }
        }
    }

    /// The user that the token is requested for.
    public struct UserHint: Hashable, Sendable {
        /// The meanings of ``UserHint/id``.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// The sign-in name of the only user that is accepted.
            case requiredDisplayableID = "RequiredDisplayableId"
            /// A sign-in name that is prefilled and that the user can change.
            case optionalDisplayableID = "OptionalDisplayableId"
            /// The object id of the only user that is accepted.
            case uniqueID = "UniqueId"
        }

        /// The sign-in name or the object id.
        public let id: String
        /// The meaning of ``id``.
        public let kind: Kind

        /// Creates a hint that identifies the user.
        public init(id: String, kind: Kind = .requiredDisplayableID) {
            self.id = id
            self.kind = kind
        }
    }

    /// The policy of the token, or `nil` for the policy of the account's last sign-in, if any, or the default policy.
    public var policy: String?
    /// The `client_id` of the requesting client.
    public var client: String?
    /// The scopes that the token must have.
    public var scopes: [String]
    /// Additional scopes for the consent prompt, requested only if the user has to be prompted anyway.
    public var additionalScopes: [String] = []
    /// The opaque id of the account that the token is requested for.
    public var account: String?
    /// The user that the token is requested for.
    public var user: UserHint?
    /// The audience of the API, if the scopes do not identify an API.
    public var resource: String?
    /// The acceptable authentication contexts (`acr_values`), or an empty array for any context.
    public var acrValues: [String] = []
    /// The maximum age of the authentication, in seconds, or `nil` for any age.
    public var maxAge: Int64?
    /// The claims request (OpenID Connect Core §5.5).
    public var claims: [String: JSONValue]?
    /// Whether and how the user may be prompted.
    public var prompt: Prompt = .auto
    /// Where the user is prompted.
    public var mode: Mode = .native
    /// The loopback port to which an external authority redirects the browser, or 0 for any free port.
    public var loopbackPort: UInt16?
    /// The identity provider to sign in with.
    public var provider: String?
    /// The identity provider's tokens that the user signs in with, keyed by name, such as `id_token`.
    public var providerToken: [String: Secret] = [:]
    /// The minimum remaining lifetime of the token, in milliseconds, or `nil` for one minute.
    public var minValidityMs: Int64?
    /// Whether to bypass cached access tokens.
    public var forceRefresh = false
    /// Additional parameters of the authorization request to an external authority.
    public var extraQueryParameters: [String: String] = [:]
    /// The id that links the response to log lines and audit events, or `nil` to generate an id.
    public var correlationID: CorrelationID?
    /// The caller's id for this request; for 120 seconds, a request with the same id returns the same flow.
    public var requestID: String?

    /// Creates a request for `scopes` with default values for everything else.
    public init(scopes: [String]) {
        self.scopes = scopes
    }
}
