public import JSONRPC
public import OAuth

/// `token.acquire`: a bearer token, or the flow that has to be gone through first.
public struct TokenAcquire: BrokerMethod {
    /// On the wire.
    public static let name = "token.acquire"
    /// For `rpc.discover`.
    public static let summary = "Answers a token from the cache or by renewal, or a flow that asks the person."
    /// The parameters.
    public static let fields: [Field] = [
        .policy, .id("client"), .required("scopes", .list(.string(1...256), 0...64)), .scopes("additionalScopes"),
        .id("account"),
        Field(
            "user",
            .object([.requiredID("id"), Field("type", .choice(UserHint.Kind.allCases.map(\.rawValue)))])
        ),
        .id("resource"), .acrValues, .maxAge, Field("claims", .anyObject),
        Field("prompt", .choice(Prompt.allCases.map(\.rawValue))),
        Field("mode", .choice(Mode.allCases.map(\.rawValue))),
        .id("provider"), Field("providerToken", .map(.string(1...16_384), max: 8)),
        Field("minValidityMs", .integer(0...31_536_000_000)), Field("forceRefresh", .boolean),
        Field("extraQueryParameters", .map(.string(0...1024), max: 16)), .correlationID, .token("requestId"),
    ]
    /// It changes something.
    public static var changesState: Bool { true }
    /// By its request id, if it has one.
    public var isRepeatable: Bool { requestID != nil }
    /// Half a minute, since a renewal may stand behind it.
    public var deadline: Duration { .seconds(30) }

    /// Whether the person may be asked.
    public enum Prompt: String, Hashable, Sendable, CaseIterable {
        /// If there is no other way.
        case auto
        /// Never: 1001 instead.
        case none
        /// In any case.
        case login
        /// In any case, beginning with making an account.
        case create
        /// In any case, beginning with the choice of an account.
        case select
    }

    /// How the person is asked.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// By the steps of the flow.
        case native
        /// In a browser.
        case browser
        /// On another device.
        case device
    }

    /// Whom the token is for.
    public struct UserHint: Hashable, Sendable {
        /// How binding the hint is.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// Whoever signs in under this name, and nobody else.
            case requiredDisplayableID = "RequiredDisplayableId"
            /// Preferably whoever signs in under this name.
            case optionalDisplayableID = "OptionalDisplayableId"
            /// Whoever has this object id, and nobody else.
            case uniqueID = "UniqueId"
        }

        /// The sign-in name or the object id.
        public let id: String
        /// How binding the hint is.
        public let kind: Kind

        /// Whom the token is for.
        public init(id: String, kind: Kind = .requiredDisplayableID) {
            self.id = id
            self.kind = kind
        }
    }

    /// The policy; by default the one of the account's last sign-in.
    public var policy: String?
    /// The client that asks.
    public var client: String?
    /// What the token must allow.
    public var scopes: [String]
    /// What it may allow beside, if the person is asked anyway.
    public var additionalScopes: [String] = []
    /// The account, by its opaque id.
    public var account: String?
    /// Whom the token is for.
    public var user: UserHint?
    /// The audience.
    public var resource: String?
    /// Authentication contexts of which one must be reached.
    public var acrValues: [String] = []
    /// How many seconds ago the person may have proved who they are.
    public var maxAge: Int64?
    /// Claims that are asked for (OpenID Connect Core §5.5).
    public var claims: [String: JSONValue]?
    /// Whether the person may be asked.
    public var prompt: Prompt = .auto
    /// How the person is asked.
    public var mode: Mode = .native
    /// The identity provider to begin with.
    public var provider: String?
    /// What a provider gave the caller.
    public var providerToken: [String: Secret] = [:]
    /// How long the token must be good for, in milliseconds.
    public var minValidityMs: Int64?
    /// Whether a token of the cache will not do.
    public var forceRefresh = false
    /// Parameters for an authority outside.
    public var extraQueryParameters: [String: String] = [:]
    /// The caller's UUID for this call.
    public var correlationID: CorrelationID?
    /// The caller's name for this request; the same one again gives the same flow.
    public var requestID: String?

    /// A call for a token that allows `scopes`.
    public init(scopes: [String]) {
        self.scopes = scopes
    }

    /// A call, from checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        policy = members.string("policy")
        client = members.string("client")
        scopes = members.strings("scopes")
        additionalScopes = members.strings("additionalScopes")
        account = members.string("account")
        if let user = members.members("user") {
            self.user = UserHint(
                id: try user.required("id"),
                kind: user.choice("type", UserHint.Kind.self) ?? .requiredDisplayableID
            )
        }
        resource = members.string("resource")
        acrValues = members.strings("acrValues")
        maxAge = members.int("maxAge")
        claims = members.object("claims")
        prompt = members.choice("prompt", Prompt.self) ?? .auto
        mode = members.choice("mode", Mode.self) ?? .native
        provider = members.string("provider")
        providerToken = members.map("providerToken").mapValues { Secret($0) }
        minValidityMs = members.int("minValidityMs")
        forceRefresh = members.flag("forceRefresh")
        extraQueryParameters = members.map("extraQueryParameters")
        correlationID = try members.correlationID()
        requestID = members.string("requestId")
        if let reserved = extraQueryParameters.keys.filter({ Self.reserved.contains($0.lowercased()) }).min() {
            throw Members.invalid("extraQueryParameters.\(reserved)", "is a name that the protocol itself uses")
        }
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("policy", policy)
        object.set("client", client)
        object.set("scopes", strings: scopes)
        object.set("additionalScopes", unlessEmpty: additionalScopes)
        object.set("account", account)
        if let user { object.set("user", ["id": .string(user.id), "type": .string(user.kind.rawValue)]) }
        object.set("resource", resource)
        object.set("acrValues", unlessEmpty: acrValues)
        object.set("maxAge", maxAge)
        object.set("claims", claims.map(JSONValue.object))
        if prompt != .auto { object.set("prompt", prompt.rawValue) }
        if mode != .native { object.set("mode", mode.rawValue) }
        object.set("provider", provider)
        if !providerToken.isEmpty {
            object.set("providerToken", .object(providerToken.mapValues { .string($0.reveal()) }))
        }
        object.set("minValidityMs", minValidityMs)
        object.set("forceRefresh", ifTrue: forceRefresh)
        if !extraQueryParameters.isEmpty {
            object.set("extraQueryParameters", .object(extraQueryParameters.mapValues(JSONValue.string)))
        }
        object.set("correlationId", correlationID?.description)
        object.set("requestId", requestID)
        return object.members
    }

    /// The parameters of OAuth and OpenID requests, which no caller sets by hand.
    public static let reserved: Set<String> = [
        "acr_values", "assertion", "audience", "claims", "client_assertion", "client_assertion_type", "client_id",
        "client_secret", "code", "code_challenge", "code_challenge_method", "code_verifier", "device_code",
        "dpop_jkt", "error", "grant_type", "id_token_hint", "iss", "login_hint", "max_age", "nonce", "p", "password",
        "prompt", "redirect_uri", "refresh_token", "request", "request_uri", "resource", "response_mode",
        "response_type", "scope", "state", "username",
    ]

    /// `{kind: "token", token}` or `{kind: "flow", flow, joined}`.
    public enum Answer: WireValue, Hashable {
        /// A token.
        case token(AcquiredToken)
        /// The person has to be asked; whether others wait for the same flow.
        case flow(FlowDocument, joined: Bool)

        /// Reads an answer.
        public init(_ reader: WireReader) throws(UnreadableAnswer) {
            switch try reader.string("kind") {
            case "token": self = .token(try reader.one("token"))
            case "flow": self = .flow(try reader.one("flow"), joined: reader.value["joined"]?.bool ?? false)
            default: throw UnreadableAnswer("kind")
            }
        }

        /// The answer as it is written.
        public var json: JSONValue {
            switch self {
            case .token(let token): ["kind": "token", "token": token.json]
            case .flow(let flow, let joined): ["kind": "flow", "flow": flow.json, "joined": .bool(joined)]
            }
        }
    }
}
