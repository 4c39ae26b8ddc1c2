public import FlowModel
import Localization
public import OAuth

/// `broker.hello`: an optional call that introduces the client and returns what the broker supports.
public struct BrokerHello: BrokerMethod {
    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "broker.hello",
        "Introduces the calling program and returns what the broker supports; optional.",
        [
            .required("protocol", .list(.integer(1...1000), 1...16)),
            .required(
                "client",
                .object([.required("id", .id), Field("name", .string(1...256)), Field("version", .name)])
            ),
            Field("steps", .list(.name, 1...64)),
            Field("locale", .name),
            Field("tty", .boolean),
            Field("browser", .boolean),
        ],
        whileLocked: true
    )

    /// The only protocol version that this broker supports.
    public static let protocolVersion: Int64 = 1

    /// The `client_id` that the broker uses for all calls on this connection that do not specify a client.
    public let client: String
    /// The name of the program, which appears in the log.
    public var clientName: String?
    /// The version of the program, which appears in the log.
    public var clientVersion: String?
    /// The user's language and the step types that the program can show in all flows started on this connection.
    public let presentation: Presentation

    /// The client of this call, and of later calls on this connection that do not specify a client.
    public var namedClient: String? { client }

    /// Creates a call that introduces `client`.
    public init(client: String, presentation: Presentation = Presentation()) {
        self.client = client
        self.presentation = presentation
    }

    /// Creates a call from parameters that have already been validated.
    public init(_ members: Members) throws(JSONRPCError) {
        guard (members["protocol"] ?? []).contains(Self.protocolVersion) else {
            throw Members.invalid("protocol", Text("refusal.protocolVersion", ["version": Self.protocolVersion]))
        }
        for name in ["tty", "browser"] where members[name] as Bool? != nil {
            throw Members.invalid(name, Text("refusal.callerAnswersSteps", ["parameter": name]))
        }
        let language = (members["locale"] as String?).map { LanguageTag(rawValue: $0) }
        if language == .some(nil) { throw Members.invalid("locale", Text("refusal.locale")) }
        let program = members.members("client")
        client = try program?.required("id") ?? ""
        clientName = program?["name"]
        clientVersion = program?["version"]
        let steps: [StepType] = members["steps"] ?? []
        presentation = Presentation(language: language ?? nil, steps: steps.isEmpty ? [.form] : Set(steps))
    }

    /// The parameters of this call in JSON.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("protocol", [Self.protocolVersion])
        var program = ObjectBuilder()
        program.set("id", client)
        program.set("name", clientName)
        program.set("version", clientVersion)
        object.set("client", program.json)
        if presentation.steps != [.form] {
            object.set("steps", presentation.steps.map(\.rawValue).sorted())
        }
        object.set("locale", presentation.language?.rawValue)
        return object.members
    }

    /// The response: `{protocol, broker: {version}, limits, policies, apis, trustedLoopback?}`.
    public struct Answer: WireValue {
        /// The version of the broker.
        public let version: String
        /// The limits that apply to the socket and to flows, keyed by the name of the limit.
        public let limits: [String: Int64]
        /// The daemon's policies.
        public let policies: [PolicySummary]
        /// The APIs for which clients can request tokens, each with the origins to which clients may send these tokens.
        public let apis: [APISummary]
        /// The loopback ports to which clients may send tokens over HTTP without checking which process is listening.
        public let trustedLoopback: Set<UInt16>

        /// Creates a response.
        public init(
            version: String,
            limits: [String: Int64],
            policies: [PolicySummary],
            apis: [APISummary],
            trustedLoopback: Set<UInt16> = []
        ) {
            self.version = version
            self.limits = limits
            self.policies = policies
            self.apis = apis
            self.trustedLoopback = trustedLoopback
        }

        /// Reads a response from JSON.
        public init(_ reader: WireReader) throws(UnreadableAnswer) {
            version = try WireReader(try reader.one("broker")).one("version")
            limits = (reader.value["limits"]?.object ?? [:]).compactMapValues(\.int)
            policies = try reader.one("policies")
            apis = try reader.one("apis")
            let ports = reader.value["trustedLoopback"]?.array ?? []
            trustedLoopback = Set(ports.compactMap { $0.int.flatMap { UInt16(exactly: $0) } })
        }

        /// The response in JSON.
        public var json: JSONValue {
            var members: [String: JSONValue] = [
                "protocol": .int(BrokerHello.protocolVersion), "broker": ["version": .string(version)],
                "limits": .object(limits.mapValues(JSONValue.int)), "policies": .array(policies.map(\.json)),
                "apis": .array(apis.map(\.json)),
            ]
            if !trustedLoopback.isEmpty {
                members["trustedLoopback"] = .array(trustedLoopback.sorted().map { .int(Int64($0)) })
            }
            return .object(members)
        }
    }
}

/// `broker.status`: returns the state of the daemon.
public struct BrokerStatus: BareMethod {
    /// The response: `{version, uptimeMs, policies, counts, locked, issuer, configuration?, stateDirectory}`.
    public typealias Answer = ServiceStatus

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "broker.status",
        "Returns the daemon's version, uptime and policies, and the caller's counts.",
        whileLocked: true
    )

    /// Creates a call without parameters.
    public init() {}
}

extension ServiceStatus: WireObject {
    /// The JSON members, which are used to read and write the value.
    public static let wire = WireMembers(
        Self.init(version:uptimeMs:policies:counts:locked:issuer:configuration:stateDirectory:),
        Member("version", \.version),
        Member("uptimeMs", \.uptimeMs),
        Member("policies", \.policies),
        Member("counts", \.counts),
        Member("locked", \.locked, or: false),
        Member("issuer", optional: \.issuer),
        Member("configuration", optional: \.configuration),
        Member("stateDirectory", optional: \.stateDirectory)
    )
}

/// `rpc.discover`: returns a description of all methods.
public struct RPCDiscover: BareMethod {
    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "rpc.discover",
        "Describes every method as an OpenRPC document.",
        whileLocked: true
    )

    /// Creates a call without parameters.
    public init() {}

    /// The response: an OpenRPC document.
    public struct Answer: WireValue {
        /// The OpenRPC document.
        public let json: JSONValue

        /// Creates a document that contains the descriptions of the methods and the version of the broker.
        public init(methods descriptions: [JSONValue], version: String) {
            json = [
                "openrpc": "1.3.2",
                "info": ["title": "Tokenbroker", "version": .string(version)],
                "methods": .array(descriptions),
                "components": ["schemas": ["ErrorData": Self.errorData, "TextValue": Self.textValue]],
            ]
        }

        private static let errorData: JSONValue = [
            "type": "object", "required": ["reason", "correlationId"],
            "properties": [
                "reason": ["type": "string"], "correlationId": ["type": "string", "format": "uuid"],
                "key": ["type": "string"], "parameters": parameters,
            ],
        ]

        /// The JSON Schema that describes a parameter of an error message.
        private static let textValue: JSONValue = [
            "oneOf": [
                ["type": "string"], ["type": "integer"],
                [
                    "type": "object", "required": ["key"],
                    "properties": ["key": ["type": "string"], "parameters": parameters],
                ],
                [
                    "type": "object", "required": ["list", "joint"],
                    "properties": [
                        "list": ["type": "array", "items": ["$ref": "#/components/schemas/TextValue"]],
                        "joint": [
                            "type": "string", "enum": .array(Text.Joint.allCases.map { .string($0.rawValue) }),
                        ],
                    ],
                ],
            ]
        ]

        private static let parameters: JSONValue = [
            "type": "object", "additionalProperties": ["$ref": "#/components/schemas/TextValue"],
        ]

        /// Stores the document without interpreting it.
        public init(_ reader: WireReader) throws(UnreadableAnswer) {
            json = reader.value
        }
    }
}

/// `policy.list`: lists the daemon's policies.
public struct PolicyList: BareMethod {
    /// The response: the policies.
    public typealias Answer = [PolicySummary]

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "policy.list",
        "Lists the policies, with what is missing for those that are unavailable.",
        answer: "policies",
        whileLocked: true
    )

    /// Creates a call without parameters.
    public init() {}
}

/// `policy.get`: returns one policy.
public struct PolicyGet: BrokerMethod, WireObject {
    /// The response: the policy.
    public typealias Answer = PolicySummary

    /// The parameters, as JSON members.
    public static let wire = WireMembers(Self.init(policy:), Member("policy", \.policy, .id))

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "policy.get",
        "Returns one policy.",
        wire.fields,
        whileLocked: true
    )

    /// The id of the policy, which is not case-sensitive.
    public let policy: String

    /// Creates a request for the policy with the id `policy`.
    public init(policy: String) {
        self.policy = policy
    }
}

extension PolicySummary: WireValue {
    /// Reads a policy from JSON.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        let missing: String? = try reader.optional("missing")
        self.init(
            policy: try reader.one("policy"),
            kind: try reader.one("kind"),
            displayName: try reader.optional("displayName") ?? "",
            issuer: try reader.optional("issuer"),
            available: try reader.optional("available") ?? true,
            missing: missing.map { Text(members: reader.value["missingText"]?.object ?? [:], or: $0) },
            scopes: try reader.one("scopes"),
            providers: try reader.one("providers")
        )
    }

    /// The policy in JSON.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("policy", policy)
        object.set("kind", kind)
        object.set("displayName", displayName)
        object.set("issuer", issuer)
        object.set("available", available)
        object.set("missing", missing?.english)
        object.set("missingText", missing?.json)
        object.set("scopes", scopes)
        object.set("providers", providers)
        return object.json
    }
}

extension APISummary: WireObject {
    /// The JSON members, which are used to read and write the value.
    public static let wire = WireMembers(
        Self.init(api:origins:scopes:policy:),
        Member("api", \.api),
        Member("origins", \.origins),
        Member("scopes", \.scopes),
        Member("policy", optional: \.policy)
    )
}
