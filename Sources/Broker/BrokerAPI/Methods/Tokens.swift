public import FlowModel
public import OAuth

extension AcquireRequest: BrokerMethod {
    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "token.acquire",
        "Returns a token from the cache or by renewal, or a flow that prompts the user.",
        [
            Field("policy", .name), Field("client", .id), .required("scopes", .scopes),
            Field("additionalScopes", .scopes), Field("account", .id),
            Field("user", .object([.required("id", .id), Field("type", .word(UserHint.Kind.self))])),
            Field("resource", .id), Field("acrValues", .acrValues), Field("maxAge", .maxAge),
            Field("claims", .anyObject), Field("prompt", .word(Prompt.self)), Field("mode", .word(Mode.self)),
            Field("loopbackPort", .loopbackPort), Field("provider", .id), Field("providerToken", .providerToken),
            Field("minValidityMs", .integer(0...31_536_000_000)), Field("forceRefresh", .boolean),
            Field("extraQueryParameters", .map(.string(0...1024), 0...16)), .correlationID, Field("requestId", .name),
        ],
        changesState: true,
        // Allow more time than usual, because the broker might have to renew a token or call an API connector.
        deadline: ExternalWait.longest
    )

    /// The client that this call specifies, or `nil` to use the client from `broker.hello`.
    public var namedClient: String? { client }
    /// Whether the call has a request id and can therefore be repeated safely.
    public var isRepeatable: Bool { requestID != nil }
    /// Creates a call from parameters that have already been validated.
    public init(_ members: Members) throws(JSONRPCError) {
        self.init(scopes: members["scopes"] ?? [])
        policy = members["policy"]
        client = members["client"]
        additionalScopes = members["additionalScopes"] ?? []
        account = members["account"]
        if let user = members.members("user") {
            self.user = UserHint(id: try user.required("id"), kind: user["type"] ?? .requiredDisplayableID)
        }
        resource = members["resource"]
        acrValues = members["acrValues"] ?? []
        maxAge = members["maxAge"]
        claims = members["claims"]
        prompt = members["prompt"] ?? .auto
        mode = members["mode"] ?? .native
        loopbackPort = members["loopbackPort"]
        provider = members["provider"]
        providerToken = (members["providerToken"] ?? [:]).mapValues { Secret($0) }
        minValidityMs = members["minValidityMs"]
        forceRefresh = members["forceRefresh"] ?? false
        correlationID = members["correlationId"]
        requestID = members["requestId"]
        extraQueryParameters = members["extraQueryParameters"] ?? [:]
        try Self.refuse(extraQueryParameters: extraQueryParameters.keys.sorted())
    }

    private static func refuse(extraQueryParameters names: [String]) throws(JSONRPCError) {
        if let name = names.first(where: { reserved.contains($0.lowercased()) }) {
            throw Members.reserved("extraQueryParameters.\(name)")
        }
    }

    /// The parameters of this call in JSON.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("policy", policy)
        object.set("client", client)
        object.set("scopes", scopes)
        object.set("additionalScopes", unlessEmpty: additionalScopes)
        object.set("account", account)
        if let user { object.set("user", ["id": user.id, "type": user.kind.rawValue]) }
        object.set("resource", resource)
        object.set("acrValues", unlessEmpty: acrValues)
        object.set("maxAge", maxAge)
        object.set("claims", claims)
        if prompt != .auto { object.set("prompt", prompt) }
        if mode != .native { object.set("mode", mode) }
        object.set("loopbackPort", loopbackPort)
        object.set("provider", provider)
        object.set("providerToken", secrets: providerToken)
        object.set("minValidityMs", minValidityMs)
        if forceRefresh { object.set("forceRefresh", true) }
        if !extraQueryParameters.isEmpty { object.set("extraQueryParameters", extraQueryParameters) }
        object.set("correlationId", correlationID)
        object.set("requestId", requestID)
        return object.members
    }

    /// The names of OAuth and OpenID Connect request parameters that callers must not set.
    public static let reserved: Set<String> = [
        "acr_values", "assertion", "audience", "claims", "client_assertion", "client_assertion_type", "client_id",
        "client_secret", "code", "code_challenge", "code_challenge_method", "code_verifier", "device_code",
        "dpop_jkt", "error", "grant_type", "id_token_hint", "iss", "login_hint", "max_age", "nonce", "p", "password",
        "prompt", "redirect_uri", "refresh_token", "request", "request_uri", "resource", "response_mode",
        "response_type", "scope", "state", "username",
    ]

    /// The response: `{kind: "token", token}` or `{kind: "flow", flow, joined}`.
    public enum Answer: WireValue, Hashable {
        case token(AcquiredToken)
        /// A flow that prompts the user; `joined` is `true` if another call started the flow.
        case flow(Flow, joined: Bool)

        /// Reads a response from JSON.
        public init(_ reader: WireReader) throws(UnreadableAnswer) {
            switch try reader.one("kind") as String {
            case "token": self = .token(try reader.one("token"))
            case "flow": self = .flow(try reader.one("flow"), joined: reader.value["joined"]?.bool ?? false)
            default: throw UnreadableAnswer("kind")
            }
        }

        /// The response in JSON.
        public var json: JSONValue {
            switch self {
            case .token(let token): ["kind": "token", "token": token.json]
            case .flow(let flow, let joined): ["kind": "flow", "flow": flow.json, "joined": .bool(joined)]
            }
        }
    }
}

/// `token.list`: describes the caller's cached tokens.
public struct TokenList: AccountMethod {
    /// The response: descriptions of the cached tokens, without the tokens themselves.
    public typealias Answer = [TokenSummary]

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "token.list",
        "Describes the caller's cached tokens; never returns the tokens themselves.",
        wire.fields,
        answer: "tokens"
    )

    /// The account whose tokens are listed, or `nil` for all of the caller's accounts.
    public let account: String?

    /// Creates a request for the tokens of `account`, or of all accounts if `account` is `nil`.
    public init(account: String? = nil) {
        self.account = account
    }
}

/// `token.subscribe`: sends notifications about the caller's tokens and accounts until the connection closes.
public struct TokenSubscribe: AccountMethod {
    /// The response: `{notifications}`.
    public struct Answer: WireObject, Hashable, Sendable {
        /// The JSON members, which are used to read and write the value.
        public static let wire = WireMembers(Self.init(notifications:), Member("notifications", \.notifications))

        /// The names of the notifications that can be sent after the response.
        public let notifications: [String]

        /// Creates a response.
        public init(notifications: [String] = TokenEvent.Name.allCases.map(\.rawValue)) {
            self.notifications = notifications
        }
    }

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "token.subscribe",
        "Sends notifications over this connection: token.rotated, token.expiring and session.changed.",
        wire.fields
    )

    /// The account that the notifications are about, or `nil` for all of the caller's accounts.
    public let account: String?

    /// Creates a call that subscribes to notifications about `account`, or about all accounts if `account` is `nil`.
    public init(account: String? = nil) {
        self.account = account
    }
}

extension AcquiredToken: WireObject {
    /// The JSON members, which include the access token itself.
    public static let wire = WireMembers(
        Self.init,
        Member("accessToken", write: { $0.accessToken.reveal() }, read: { $0.map { Secret($0) } }),
        Member("expiresAt", \.expiresAt),
        Member("scopes", \.scopes),
        Member("account", \.account),
        Member("username", \.username),
        Member("acr", \.acr, or: ""),
        Member("amr", \.amr),
        Member("authTime", \.authTime, or: 0),
        Member("claims", \.claims, or: [:]),
        Member("policy", \.policy),
        Member("correlationId", \.correlationID, or: ""),
        Member("fromCache", \.fromCache, or: false),
        Member("cached", \.cached, or: false)
    )

    /// The JSON object, which also contains the token type.
    public var json: JSONValue { .object(Self.wire.write(self).merging(["tokenType": "Bearer"]) { $1 }) }
}

extension TokenSummary: WireObject {
    /// The JSON members, which are used to read and write the value.
    public static let wire = WireMembers(
        Self.init(account:username:client:authority:policy:resource:scopes:expiresAt:acr:amr:authTime:),
        Member("account", \.account),
        Member("username", \.username, or: ""),
        Member("client", \.client),
        Member("authority", \.authority, or: "local"),
        Member("policy", \.policy),
        Member("resource", \.resource, or: ""),
        Member("scopes", \.scopes),
        Member("expiresAt", \.expiresAt),
        Member("acr", \.acr, or: ""),
        Member("amr", \.amr),
        Member("authTime", \.authTime, or: 0)
    )
}

extension TokenEvent {
    /// The JSON-RPC method names of the notifications.
    public enum Name: String, CaseIterable, Sendable {
        case rotated = "token.rotated"
        case expiring = "token.expiring"
        case sessionChanged = "session.changed"
    }

    /// Reads a token event, or returns `nil` for other notifications; throws an error if a required member is missing.
    public init?(_ notification: JSONRPCRequest) throws(UnreadableAnswer) {
        guard let name = Name(rawValue: notification.method) else { return nil }
        let reader = WireReader(.object(notification.params))
        switch name {
        case .rotated: self = .rotated(try TokenSummary(reader))
        case .expiring: self = .expiring(try TokenSummary(reader))
        case .sessionChanged:
            // Treat an unrecognized kind of change as `changed`.
            let change = SessionChange(rawValue: try reader.one("change")) ?? .changed
            self = .sessionChanged(account: try reader.one("account"), change)
        }
    }

    /// The event as a JSON-RPC notification, to which the client does not respond (JSON-RPC 2.0 §4.1).
    public var notification: JSONRPCRequest {
        switch self {
        case .rotated(let token):
            JSONRPCRequest(id: nil, method: Name.rotated.rawValue, params: token.json.object ?? [:])
        case .expiring(let token):
            JSONRPCRequest(id: nil, method: Name.expiring.rawValue, params: token.json.object ?? [:])
        case .sessionChanged(let account, let change):
            JSONRPCRequest(
                id: nil,
                method: Name.sessionChanged.rawValue,
                params: ["account": .string(account), "change": .string(change.rawValue)]
            )
        }
    }
}

extension AcquireRequest.Prompt: WireWord {}
extension AcquireRequest.Mode: WireWord {}
extension AcquireRequest.UserHint.Kind: WireWord {}
