public import FlowModel
public import OAuth

/// `authority.add`: an outside authority for the caller's uid.
extension NewAuthority: BrokerMethod {
    /// The answer: `{authority}`.
    public typealias Answer = One<AuthoritySummary>

    /// The name on the wire.
    public static let name = "authority.add"
    /// The sentence of `rpc.discover`.
    public static let summary = "Looks at an outside authority, and adds it for the caller's uid."
    /// The parameters.
    public static let fields: [Field] = [
        .required("name", .string(1...64)), Field("url", .string(1...2048)),
        Field("preset", .choice(Preset.allCases.map(\.rawValue))), .required("clientId", .string(1...512)),
        Field("clientSecret", .string(1...4096)), Field("displayName", .string(1...64)), .scopes("scopes"),
        .scopes("additionalScopes"), Field("parameters", .map(.string(0...256), 0...16)),
        Field("origins", .list(.string(1...256), 0...8)),
    ]
    /// True: it is stored.
    public static var changesState: Bool { true }
    /// Half a minute, since it asks the authority.
    public var deadline: Duration { .seconds(30) }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        self.init(
            try members.required("name"),
            url: members.string("url"),
            clientID: try members.required("clientId")
        )
        preset = members.choice("preset", Preset.self)
        clientSecret = members.string("clientSecret").map { Secret($0) }
        displayName = members.string("displayName")
        scopes = members.strings("scopes")
        additionalScopes = members.strings("additionalScopes")
        parameters = members.map("parameters")
        origins = members.strings("origins")
        guard origins.allSatisfy(OutsideURL.isOrigin) else {
            throw Members.invalid("origins", "has https://host[:port] each, in lower case, or http of this machine")
        }
        let (bytes, lower) = (authority.utf8, authority.lowercased())
        let isName = bytes.allSatisfy(Self.signs.contains) && bytes.first.map(Self.marks.contains) == false
        guard isName, !lower.hasPrefix("b2c_1_"), lower != "local" else {
            throw Members.invalid("name", "has letters, digits and . _ - and is no policy's")
        }
        if let name = parameters.keys.sorted().first(where: { AcquireRequest.reserved.contains($0.lowercased()) }) {
            throw Members.invalid("parameters.\(name)", "is a name that the protocol itself uses")
        }
    }

    private static let marks = Set("._-".utf8)
    private static let signs = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8).union(marks)

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("name", authority)
        object.set("url", url)
        object.set("preset", preset?.rawValue)
        object.set("clientId", clientID)
        object.set("clientSecret", clientSecret?.reveal())
        object.set("displayName", displayName)
        object.set("scopes", unlessEmpty: scopes)
        object.set("additionalScopes", unlessEmpty: additionalScopes)
        object.set("origins", unlessEmpty: origins)
        if !parameters.isEmpty { object.set("parameters", .object(parameters.mapValues { .string($0) })) }
        return object.members
    }
}
