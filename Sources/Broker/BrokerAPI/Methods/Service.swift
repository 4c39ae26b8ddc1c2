public import FlowModel
import Localization
public import OAuth

/// `broker.hello`: names the client and answers the abilities of the broker; optional.
public struct BrokerHello: BrokerMethod {
    /// Describes the method.
    public static let description = MethodDescription(
        "broker.hello",
        "Names the calling program and tells what both sides can do; optional.",
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

    /// The protocol that this version speaks.
    public static let protocolVersion: Int64 = 1

    /// The client id of all calls of this connection that name none.
    public let client: String
    /// The name of the program, for the log.
    public var clientName: String?
    /// The version of the program, for the log.
    public var clientVersion: String?
    /// The abilities of the program, and the person's language, for the flows that this connection starts.
    public let presentation: Presentation

    /// The client that the connection's later calls name.
    public var namedClient: String? { client }

    /// Introduces a client.
    public init(client: String, presentation: Presentation = Presentation()) {
        self.client = client
        self.presentation = presentation
    }

    /// Reads checked parameters.
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

    /// The parameters as they are written.
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

    /// `{protocol, broker: {version}, limits, policies, apis, trustedLoopback?}`.
    public struct Answer: WireValue {
        /// The broker's version.
        public let version: String
        /// The limits, by name.
        public let limits: [String: Int64]
        /// The policies.
        public let policies: [PolicySummary]
        /// The APIs, with the origins that their tokens may be sent to.
        public let apis: [APISummary]
        /// The ports of this machine that tokens may be sent to over http, whatever listens there.
        public let trustedLoopback: Set<UInt16>

        /// Lists the broker's abilities.
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

        /// Reads an answer.
        public init(_ reader: WireReader) throws(UnreadableAnswer) {
            version = try WireReader(try reader.one("broker")).one("version")
            limits = (reader.value["limits"]?.object ?? [:]).compactMapValues(\.int)
            policies = try reader.one("policies")
            apis = try reader.one("apis")
            let ports = reader.value["trustedLoopback"]?.array ?? []
            trustedLoopback = Set(ports.compactMap { $0.int.flatMap { UInt16(exactly: $0) } })
        }

        /// The answer as it is written.
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

/// `broker.status`: the state of the daemon.
public struct BrokerStatus: BareMethod {
    /// The answer: `{version, uptimeMs, policies, counts, locked}`.
    public typealias Answer = ServiceStatus

    /// Describes the method.
    public static let description = MethodDescription(
        "broker.status",
        "Tells the version, how long the daemon runs, its policies and the caller's counts.",
        whileLocked: true
    )

    /// A call without parameters.
    public init() {}
}

extension ServiceStatus: WireObject {
    /// The members on the wire.
    public static let wire = WireMembers(
        Self.init(version:uptimeMs:policies:counts:locked:),
        Member("version", \.version),
        Member("uptimeMs", \.uptimeMs),
        Member("policies", \.policies),
        Member("counts", \.counts),
        Member("locked", \.locked, or: false)
    )
}

/// `rpc.discover`: the description of all methods.
public struct RPCDiscover: BareMethod {
    /// Describes the method.
    public static let description = MethodDescription(
        "rpc.discover",
        "Describes every method as an OpenRPC document.",
        whileLocked: true
    )

    /// A call without parameters.
    public init() {}

    /// An OpenRPC document.
    public struct Answer: WireValue {
        /// The document.
        public let json: JSONValue

        /// A document of the methods that `descriptions` describe.
        public init(methods descriptions: [JSONValue], version: String) {
            json = [
                "openrpc": "1.3.2",
                "info": ["title": "Tokenbroker", "version": .string(version)],
                "methods": .array(descriptions),
                "components": ["schemas": ["ErrorData": Self.errorData, "TextValue": Self.textValue]],
            ]
        }

        /// The member `data` of every error.
        private static let errorData: JSONValue = [
            "type": "object", "required": ["reason", "correlationId"],
            "properties": [
                "reason": ["type": "string"], "correlationId": ["type": "string", "format": "uuid"],
                "key": ["type": "string"], "parameters": parameters,
            ],
        ]

        /// What stands in the sentence of an error.
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

        /// Takes the document as it is.
        public init(_ reader: WireReader) throws(UnreadableAnswer) {
            json = reader.value
        }
    }
}

/// `policy.list`: the daemon's policies.
public struct PolicyList: BareMethod {
    /// The answer.
    public typealias Answer = [PolicySummary]

    /// Describes the method.
    public static let description = MethodDescription(
        "policy.list",
        "Lists the policies, with what is missing where one cannot be run.",
        answer: "policies",
        whileLocked: true
    )

    /// A call without parameters.
    public init() {}
}

/// `policy.get`: one policy.
public struct PolicyGet: BrokerMethod, WireObject {
    /// The answer.
    public typealias Answer = PolicySummary

    /// The parameters.
    public static let wire = WireMembers(Self.init(policy:), Member("policy", \.policy, .id))

    /// Describes the method.
    public static let description = MethodDescription(
        "policy.get",
        "Shows one policy.",
        wire.fields,
        whileLocked: true
    )

    /// The policy's id, in any case.
    public let policy: String

    /// Asks for the policy `policy`.
    public init(policy: String) {
        self.policy = policy
    }
}

extension PolicySummary: WireValue {
    /// Reads a policy.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        let missing: String? = try reader.optional("missing")
        self.init(
            policy: try reader.one("policy"),
            kind: try reader.one("kind"),
            displayName: try reader.optional("displayName") ?? "",
            issuer: try reader.optional("issuer") ?? "",
            available: try reader.optional("available") ?? true,
            missing: missing.map { Text(members: reader.value["missingText"]?.object ?? [:], or: $0) },
            scopes: try reader.one("scopes"),
            providers: try reader.one("providers")
        )
    }

    /// The policy as it is written.
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
    /// The members on the wire.
    public static let wire = WireMembers(
        Self.init(api:origins:scopes:policy:),
        Member("api", \.api),
        Member("origins", \.origins),
        Member("scopes", \.scopes),
        Member("policy", optional: \.policy)
    )
}
