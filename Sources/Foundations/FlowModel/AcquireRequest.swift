public import OAuth

/// The parameters of `token.acquire` as typed values.
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
        /// In any browser, for external authorities only.
        ///
        /// The user copies the address of the final page to the calling program.
        case paste

        /// The mode to switch to when a flow redirects to an external provider, which requires a browser.
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
            /// A sign-in name. No other user is accepted.
            case requiredDisplayableID = "RequiredDisplayableId"
            /// A sign-in name to prefill, which the user can change.
            case optionalDisplayableID = "OptionalDisplayableId"
            /// An object id. No other user is accepted.
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

    /// The policy under which the token is issued.
    ///
    /// If `nil`, the policy of the account's last sign-in is used or, if there was no sign-in, the default policy.
    public var policy: String?
    /// The `client_id` of the requesting client.
    public var client: String?
    /// The scopes that the token must have.
    public var scopes: [String]
    /// Additional scopes for the consent prompt, requested only if the user has to be prompted anyway.
    public var additionalScopes: [String] = []
    /// The opaque id of the account.
    public var account: String?
    /// The user that the token is requested for.
    public var user: UserHint?
    /// The audience of the API, if the scopes do not identify an API.
    public var resource: String?
    /// The acceptable authentication contexts (`acr_values`).
    public var acrValues: [String] = []
    /// The maximum age of the authentication, in seconds, or `nil` for any age.
    public var maxAge: Int64?
    /// The claims request (OpenID Connect Core §5.5).
    public var claims: [String: JSONValue]?
    /// Whether and how the user may be prompted.
    public var prompt: Prompt = .auto
    /// Where the user is prompted.
    public var mode: Mode = .native
    /// The daemon's loopback port that an external authority redirects the browser to (0 for any free port).
    public var loopbackPort: UInt16?
    /// The identity provider to sign in with.
    public var provider: String?
    /// The identity provider's tokens to sign the user in with, keyed by name, such as `id_token`.
    public var providerToken: [String: Secret] = [:]
    /// The minimum remaining lifetime of the token, in milliseconds, or `nil` for one minute.
    public var minValidityMs: Int64?
    /// Whether to bypass cached access tokens.
    public var forceRefresh = false
    /// Additional parameters of the authorization request to an external authority.
    public var extraQueryParameters: [String: String] = [:]
    /// The id that links the response to log lines and audit events, or `nil` to generate an id.
    public var correlationID: CorrelationID?
    /// The caller's id for this request (another request with the same id within 120 s returns the same flow).
    public var requestID: String?

    /// Creates a request for `scopes` with default values for everything else.
    public init(scopes: [String]) {
        self.scopes = scopes
    }
}
