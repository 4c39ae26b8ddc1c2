public import FlowModel
public import OAuth

/// `authority.add`: an outside authority for the caller's uid.
extension NewAuthority: BrokerMethod {
    /// The answer: `{authority}`.
    public typealias Answer = AuthoritySummary

    /// Describes the method.
    public static let description = MethodDescription(
        "authority.add",
        "Looks at an outside authority, and adds it for the caller's uid.",
        [
            .required("name", .string(1...64)), Field("url", .string(1...2048)),
            Field("preset", .choice(Preset.allCases.map(\.rawValue))), .required("clientId", .string(1...512)),
            Field("clientSecret", .string(1...4096)), Field("displayName", .string(1...64)), .scopes("scopes"),
            .scopes("additionalScopes"), Field("parameters", .map(.string(0...256), 0...16)),
            Field("origins", .list(.string(1...256), 0...8)),
        ],
        answer: "authority",
        changesState: true,
        // Half a minute, since it asks the authority.
        deadline: .seconds(30)
    )

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
            throw Members.invalid("origins", Text("refusal.origins"))
        }
        let (bytes, lower) = (authority.utf8, authority.lowercased())
        let isName = bytes.allSatisfy(Self.signs.contains) && bytes.first.map(Self.marks.contains) == false
        guard isName, !lower.hasPrefix("b2c_1_"), lower != "local" else {
            throw Members.invalid("name", Text("refusal.authorityName"))
        }
        if let name = parameters.keys.sorted().first(where: { AcquireRequest.reserved.contains($0.lowercased()) }) {
            throw Members.reserved("parameters.\(name)")
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

/// `authority.list`: the outside authorities that the caller's uid can name.
public struct AuthorityList: BareMethod {
    /// The answer: `{authorities, redirectURI}`.
    public struct Answer: WireValue, Hashable {
        /// The authorities, the operator's first.
        public let authorities: [AuthoritySummary]
        /// The address to register at any of them.
        public let redirectURI: String

        /// An answer.
        public init(authorities: [AuthoritySummary], redirectURI: String) {
            self.authorities = authorities
            self.redirectURI = redirectURI
        }

        /// Reads an answer.
        public init(_ reader: WireReader) throws(UnreadableAnswer) {
            authorities = try reader.list("authorities")
            redirectURI = try reader.string("redirectURI")
        }

        /// The answer as it is written.
        public var json: JSONValue {
            ["authorities": .array(authorities.map(\.json)), "redirectURI": .string(redirectURI)]
        }
    }

    /// Describes the method.
    public static let description = MethodDescription(
        "authority.list",
        "Lists the outside authorities that the caller can name."
    )

    /// Asks for all.
    public init() {}
}

/// `authority.remove`: removes an outside authority of the caller's uid, and signs its accounts out.
public struct AuthorityRemove: BrokerMethod {
    /// The answer: `{removed, left}`.
    public struct Answer: WireValue, Hashable {
        /// The name of the authority.
        public let removed: String
        /// What could not be ended there, in words.
        public let left: [String]

        /// An answer.
        public init(removed: String, left: [String]) {
            self.removed = removed
            self.left = left
        }

        /// Reads an answer.
        public init(_ reader: WireReader) throws(UnreadableAnswer) {
            removed = try reader.string("removed")
            left = try reader.strings("left")
        }

        /// The answer as it is written.
        public var json: JSONValue { ["removed": .string(removed), "left": .array(left.map { .string($0) })] }
    }

    /// Describes the method.
    public static let description = MethodDescription(
        "authority.remove",
        "Removes an outside authority of the caller's uid, and signs its accounts out.",
        [.required("name", .string(1...64))],
        changesState: true,
        // Half a minute, since tokens are revoked.
        deadline: .seconds(30)
    )

    /// The name of the authority.
    public let name: String

    /// Removes the authority of a name.
    public init(name: String) {
        self.name = name
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        name = try members.required("name")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { ["name": .string(name)] }
}

extension AuthoritySummary: WireValue {
    /// Reads an authority.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            name: try reader.string("name"),
            displayName: reader.value["displayName"]?.string ?? "",
            url: try reader.string("url"),
            clientID: try reader.string("clientId"),
            scopes: reader.value["scopes"]?.strings ?? [],
            isOwn: reader.value["own"]?.bool ?? false,
            found: try reader.optional("found")
        )
    }

    /// The authority as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("name", name)
        object.set("displayName", displayName)
        object.set("url", url)
        object.set("clientId", clientID)
        object.set("scopes", strings: scopes)
        object.set("own", isOwn)
        object.set("found", found?.json)
        return object.json
    }
}

extension AuthorityAbilities: WireValue {
    /// Reads what an authority can do.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            identifies: try reader.bool("idTokens"),
            keepsSignedIn: try reader.bool("refreshTokens"),
            revokes: try reader.bool("revokes"),
            endsSessions: try reader.bool("endsSessions"),
            scopes: reader.value["scopes"]?.strings ?? []
        )
    }

    /// The abilities as they are written.
    public var json: JSONValue {
        [
            "idTokens": .bool(identifies), "refreshTokens": .bool(keepsSignedIn), "revokes": .bool(revokes),
            "endsSessions": .bool(endsSessions), "scopes": .array(scopes.map { .string($0) }),
        ]
    }
}
