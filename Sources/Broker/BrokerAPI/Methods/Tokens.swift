public import FlowModel
public import OAuth

/// `token.acquire`: a bearer token, or the flow that must be completed first.
extension AcquireRequest: BrokerMethod {
    /// Describes the method.
    public static let description = MethodDescription(
        "token.acquire",
        "Answers a token from the cache or by renewal, or a flow that asks the person.",
        [
            .policy, .id("client"), .required("scopes", .list(.string(1...256), 0...64)), .scopes("additionalScopes"),
            .id("account"),
            Field(
                "user",
                .object([.requiredID("id"), Field("type", .choice(UserHint.Kind.allCases.map(\.rawValue)))])
            ),
            .id("resource"), .acrValues, .maxAge, Field("claims", .anyObject),
            Field("prompt", .choice(Prompt.allCases.map(\.rawValue))),
            Field("mode", .choice(Mode.allCases.map(\.rawValue))), .loopbackPort,
            .id("provider"), .providerToken,
            Field("minValidityMs", .integer(0...31_536_000_000)), Field("forceRefresh", .boolean),
            Field("extraQueryParameters", .map(.string(0...1024), 0...16)), .correlationID, .token("requestId"),
        ],
        changesState: true,
        // The longest wait for external servers: it may need a renewal or a connector.
        deadline: ExternalWait.longest
    )

    /// The parameter `client`.
    public var namedClient: String? { client }
    /// True for a call with a request id.
    public var isRepeatable: Bool { requestID != nil }
    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        self.init(scopes: members.strings("scopes"))
        policy = members.string("policy")
        client = members.string("client")
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
        loopbackPort = members.int("loopbackPort").map { UInt16(clamping: $0) }
        provider = members.string("provider")
        providerToken = members.map("providerToken").mapValues { Secret($0) }
        minValidityMs = members.int("minValidityMs")
        forceRefresh = members.flag("forceRefresh")
        correlationID = members.correlationID()
        requestID = members.string("requestId")
        extraQueryParameters = members.map("extraQueryParameters")
        try Self.refuse(extraQueryParameters: extraQueryParameters.keys.sorted())
    }

    /// Refuses parameters for an outside authority that are the protocol's.
    private static func refuse(extraQueryParameters names: [String]) throws(JSONRPCError) {
        if let name = names.first(where: { reserved.contains($0.lowercased()) }) {
            throw Members.reserved("extraQueryParameters.\(name)")
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
        object.set("loopbackPort", loopbackPort.map { Int64($0) })
        object.set("provider", provider)
        object.set("providerToken", secrets: providerToken)
        object.set("minValidityMs", minValidityMs)
        object.set("forceRefresh", ifTrue: forceRefresh)
        if !extraQueryParameters.isEmpty {
            object.set("extraQueryParameters", .object(extraQueryParameters.mapValues { .string($0) }))
        }
        object.set("correlationId", correlationID?.description)
        object.set("requestId", requestID)
        return object.members
    }

    /// The parameters of OAuth and OpenID requests, which a caller must not set.
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
        /// A flow that asks the person; `joined` if other calls wait for it as well.
        case flow(Flow, joined: Bool)

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

/// `token.list`: the facts about the caller's cached tokens.
public struct TokenList: AccountMethod {
    /// The answer.
    public typealias Answer = [TokenSummary]

    /// Describes the method.
    public static let description = MethodDescription(
        "token.list",
        "Describes the caller's cached tokens; it shows none.",
        fields,
        answer: "tokens"
    )

    /// The account whose tokens are listed; all of the caller's if nil.
    public let account: String?

    /// Asks for the tokens of `account`, or of all accounts.
    public init(account: String? = nil) {
        self.account = account
    }
}

/// `token.subscribe`: notifications about the caller's cached tokens and accounts, until the connection ends.
public struct TokenSubscribe: AccountMethod {
    /// The notifications that follow.
    public struct Answer: WireValue, Hashable, Sendable {
        /// Their names.
        public let notifications: [String]

        /// Names the notifications that follow.
        public init(notifications: [String] = TokenEvent.Name.allCases.map(\.rawValue)) {
            self.notifications = notifications
        }

        /// Reads the answer.
        public init(_ reader: WireReader) throws(UnreadableAnswer) {
            notifications = try reader.strings("notifications")
        }

        /// The answer as it is written.
        public var json: JSONValue { ["notifications": .array(notifications.map { .string($0) })] }
    }

    /// Describes the method.
    public static let description = MethodDescription(
        "token.subscribe",
        "Sends notifications over this connection: token.rotated, token.expiring and session.changed.",
        fields
    )

    /// The account whose notifications are sent; those of all of the caller's if nil.
    public let account: String?

    /// Asks for the notifications about `account`, or about all accounts.
    public init(account: String? = nil) {
        self.account = account
    }
}

extension AcquiredToken: WireValue {
    /// Reads a token.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            accessToken: Secret(try reader.string("accessToken")),
            expiresAt: try reader.int("expiresAt"),
            scopes: try reader.strings("scopes"),
            account: try reader.string("account"),
            username: try reader.string("username"),
            acr: reader.value["acr"]?.string ?? "",
            amr: reader.value["amr"]?.strings ?? [],
            authTime: reader.value["authTime"]?.int ?? 0,
            claims: reader.value["claims"] ?? [:],
            policy: try reader.string("policy"),
            correlationID: reader.value["correlationId"]?.string ?? "",
            fromCache: reader.value["fromCache"]?.bool ?? false,
            cached: reader.value["cached"]?.bool ?? false
        )
    }

    /// The token as it is written: the one place where its secret is revealed to the peer.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("accessToken", accessToken.reveal())
        object.set("tokenType", "Bearer")
        object.set("expiresAt", expiresAt)
        object.set("scopes", strings: scopes)
        object.set("account", account)
        object.set("username", username)
        object.set("acr", acr)
        object.set("amr", strings: amr)
        object.set("authTime", authTime)
        object.set("claims", claims)
        object.set("policy", policy)
        object.set("correlationId", correlationID)
        object.set("fromCache", fromCache)
        object.set("cached", cached)
        return object.json
    }
}

extension TokenSummary: WireValue {
    /// Reads a token's description.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            account: try reader.string("account"),
            username: reader.value["username"]?.string ?? "",
            client: try reader.string("client"),
            authority: reader.value["authority"]?.string ?? "local",
            policy: try reader.string("policy"),
            resource: reader.value["resource"]?.string ?? "",
            scopes: try reader.strings("scopes"),
            expiresAt: try reader.int("expiresAt"),
            acr: reader.value["acr"]?.string ?? "",
            amr: reader.value["amr"]?.strings ?? [],
            authTime: reader.value["authTime"]?.int ?? 0
        )
    }

    /// The description as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("account", account)
        object.set("username", username)
        object.set("client", client)
        object.set("authority", authority)
        object.set("policy", policy)
        object.set("resource", resource)
        object.set("scopes", strings: scopes)
        object.set("expiresAt", expiresAt)
        object.set("acr", acr)
        object.set("amr", strings: amr)
        object.set("authTime", authTime)
        return object.json
    }
}

extension TokenEvent {
    /// The names of the notifications on the wire.
    public enum Name: String, CaseIterable, Sendable {
        /// Of ``TokenEvent/rotated(_:)``.
        case rotated = "token.rotated"
        /// Of ``TokenEvent/expiring(_:)``.
        case expiring = "token.expiring"
        /// Of ``TokenEvent/sessionChanged(account:_:)``.
        case sessionChanged = "session.changed"
    }

    /// Reads a notification; nil if it is another one.
    ///
    /// - Throws: `UnreadableAnswer` if it is one of these without the members it must have.
    public init?(_ notification: JSONRPCRequest) throws(UnreadableAnswer) {
        guard let name = Name(rawValue: notification.method) else { return nil }
        let reader = WireReader(.object(notification.params))
        switch name {
        case .rotated: self = .rotated(try TokenSummary(reader))
        case .expiring: self = .expiring(try TokenSummary(reader))
        case .sessionChanged:
            // A change of a kind that this program does not know says only that there was one.
            let change = SessionChange(rawValue: try reader.string("change")) ?? .changed
            self = .sessionChanged(account: try reader.string("account"), change)
        }
    }

    /// The notification (JSON-RPC 2.0 §4.1), which has no answer.
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
