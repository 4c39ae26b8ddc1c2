public import FlowModel
public import OAuth

/// `token.acquire`: a bearer token, or the flow that must be completed first.
extension AcquireRequest: BrokerMethod {
    /// The name on the wire.
    public static let name = "token.acquire"
    /// The sentence of `rpc.discover`.
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
        Field("mode", .choice(Mode.allCases.map(\.rawValue))), .loopbackPort,
        .id("provider"), .providerToken,
        Field("minValidityMs", .integer(0...31_536_000_000)), Field("forceRefresh", .boolean),
        Field("extraQueryParameters", .map(.string(0...1024), 0...16)), .correlationID, .token("requestId"),
    ]
    /// True: a call changes state.
    public static var changesState: Bool { true }
    /// The parameter `client`.
    public var namedClient: String? { client }
    /// True for a call with a request id.
    public var isRepeatable: Bool { requestID != nil }
    /// The longest wait for external servers: it may need a renewal or a connector.
    public var deadline: Duration { ExternalWait.longest }

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
            throw Members.invalid("extraQueryParameters.\(name)", "is a name that the protocol itself uses")
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
